import type { ReactNode } from 'react';
import { ErrorState } from '../../../components/states.tsx';
import { useTexts } from '../texts.ts';
import styles from './document.module.css';

type Props = { error: unknown; tools: ReactNode; onRetry: () => void };

/** In place of a document. What was read of it can still be shown, and it can be downloaded. */
export function DocumentFailed({ error, tools, onRetry }: Props) {
  const texts = useTexts();
  return (
    <>
      <div className={styles['bar']}>
        <span className={styles['page']}>{texts.documentFailed}</span>
        <span className={styles['space']} />
        {tools}
      </div>
      <div className={styles['desk']}>
        <ErrorState error={error} onRetry={onRetry} />
      </div>
    </>
  );
}
