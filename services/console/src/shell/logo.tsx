import { useFrameTexts } from '../i18n/locale.tsx';
import styles from './shell.module.css';

export function Logo() {
  const { product } = useFrameTexts();
  return (
    <div className={styles['logo']}>
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="7" className={styles['logoGround']} />
        <path d="M9 23V11.5L16 7l7 4.5V23h-4.5v-6h-5v6z" className={styles['logoSign']} />
      </svg>
      <span className={styles['wide']}>{product}</span>
    </div>
  );
}
