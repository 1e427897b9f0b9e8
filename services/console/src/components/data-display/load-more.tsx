import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button } from '../button.tsx';
import styles from './table.module.css';

/** The button for the next page, below a list. */
export function LoadMore({ more, isLoading }: { more: (() => void) | null; isLoading: boolean }) {
  const texts = useFrameTexts();
  if (!more) return null;
  return (
    <div className={styles['more']}>
      <Button isPending={isLoading} onPress={more}>
        {texts.more}
      </Button>
    </div>
  );
}
