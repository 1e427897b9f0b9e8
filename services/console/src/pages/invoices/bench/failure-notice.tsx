import { TriangleAlert } from 'lucide-react';
import { ApiError, isConcurrentChange } from '../../../api/errors.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { ErrorText } from '../../../components/error-text.tsx';
import type { Failure } from '../data/invoice-actions.ts';
import { useTexts } from '../texts.ts';
import styles from './bench.module.css';

type NoticeProps = { failure: Failure; isShown: boolean; onDismiss: () => void };

/** Says which action failed, or may have been done, and why. The invoice is shown as it is now. */
export function FailureNotice({ failure: { act, error, now, isKnown }, isShown, onDismiss }: NoticeProps) {
  const texts = useTexts();
  const { id, number, externalId } = act.invoice;
  const failed = {
    link: texts.failedLink,
    unlink: texts.failedUnlink,
    clear: texts.failedClear,
    conclude: texts.failedConclude,
    reopen: texts.failedReopen,
    tell: texts.failedTell,
    resync: texts.failedResync,
  };
  const unknown = {
    link: texts.unknownLink,
    unlink: texts.unknownUnlink,
    clear: texts.unknownClear,
    conclude: texts.unknownConclude,
    reopen: texts.unknownReopen,
    tell: texts.unknownTell,
    resync: texts.unknownResync,
  };
  const ticket = now?.linkedTicket?.number;
  const meanwhile = ticket === undefined ? texts.meanwhile : texts.meanwhileLinked(ticket);
  if (error instanceof ApiError && error.status === 401) return null;
  return (
    <div role="alert" className={styles['notice']}>
      <TriangleAlert size={16} aria-hidden="true" />
      <p>
        <strong>{(isKnown ? failed : unknown)[act.kind](number ?? externalId)}</strong>{' '}
        {isConcurrentChange(error) ? meanwhile : <ErrorText error={error} />} {!isKnown && texts.unknownHint}
      </p>
      {!isShown && (
        <ButtonLink variant="quiet" href={`/invoices/${id}`}>
          {texts.showIt}
        </ButtonLink>
      )}
      <Button variant="quiet" onPress={onDismiss}>
        {texts.dismiss}
      </Button>
    </div>
  );
}
