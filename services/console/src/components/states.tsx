import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { VisuallyHidden } from 'react-aria-components';
import { ApiError } from '../api/errors.ts';
import { useFrameTexts } from '../i18n/locale.tsx';
import { Button } from './button.tsx';
import { ErrorText } from './error-text.tsx';
import styles from './states.module.css';

/** Placeholder rows of the final height; nothing for the first 150 ms, so that a quick load does not flicker. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const texts = useFrameTexts();
  return (
    <div className={styles['skeletons']} aria-busy="true">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className={styles['skeleton']} aria-hidden="true">
          <div className={styles['bar']} style={{ width: `${62 - ((row * 17) % 38)}%` }} />
        </div>
      ))}
    </div>
  );
}

/** For an empty list: a sentence, and at most one action. */
export function EmptyState({ title, children, action }: { title?: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles['state']}>
      {title && <h2>{title}</h2>}
      {children && <div className={styles['text']}>{children}</div>}
      {action}
    </div>
  );
}

/** Something could not be loaded: says why, with a button to try again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const texts = useFrameTexts();
  return (
    <div className={styles['state']} role="alert">
      <h2>{texts.failed}</h2>
      <p className={styles['text']}>
        <ErrorText error={error} />
      </p>
      <RequestId error={error} />
      {onRetry && <Button onPress={onRetry}>{texts.retry}</Button>}
    </div>
  );
}

function RequestId({ error }: { error: unknown }) {
  const texts = useFrameTexts();
  if (!(error instanceof ApiError) || error.requestId === null || error.status < 500) return null;
  return (
    <p className={styles['id']}>
      {texts.requestId} <code>{error.requestId}</code>
    </p>
  );
}

type NoteProps = {
  error: unknown;
  faultsAreElsewhere?: boolean;
  /** Replaces the message of the API. */
  text?: string;
};

/**
 * Says that an action failed. Shows nothing for a 401, which the shell handles, nor for a 422 shown
 * at its fields.
 */
export function ErrorNote({ error, faultsAreElsewhere = true, text }: NoteProps) {
  if (!error) return null;
  if (error instanceof ApiError && (error.status === 401 || (faultsAreElsewhere && isShownAtFields(error))))
    return null;
  return (
    <div className={styles['note']} role="alert">
      <TriangleAlert size={16} aria-hidden="true" />
      <div>
        {text ?? <ErrorText error={error} />}
        <RequestId error={error} />
      </div>
    </div>
  );
}

/** A fault of the body as a whole, whose path is empty, has no field where it could be shown. */
function isShownAtFields({ status, faults }: ApiError): boolean {
  return status === 422 && faults.length > 0 && faults.every(({ path }) => path !== '');
}

type Loaded<T> = { data: T | undefined; error: unknown; refetch: () => unknown };

/** Shows the data of a query, its loading state, or why it failed. Once there are data, it keeps showing them. */
export function Loaded<T>({
  query,
  rows,
  children,
}: {
  query: Loaded<T>;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton {...(rows === undefined ? {} : { rows })} />;
}
