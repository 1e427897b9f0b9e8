import { ErrorText } from '../../../components/error-text.tsx';
import { Form, textOf } from '../../../components/forms/form.tsx';
import { Sheet } from '../../../components/overlays/overlay.tsx';
import { Loaded } from '../../../components/states.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import type { Ticket } from '../list-query.ts';
import { ContractorField, ContractorsField } from '../moves/move-fields.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import type { BulkOperation } from './bulk.ts';
import { useBulk } from './use-bulk.ts';

type Props = {
  operation: BulkOperation;
  selected: readonly Ticket[];
  /** Called with the tickets that were moved, to unselect them. */
  onDone: (ids: string[]) => void;
  onClose: () => void;
};

/** Asks once for the input of a move of several tickets, and shows for which it failed. */
export function BulkSheet({ operation, selected, onDone, onClose }: Props) {
  const texts = useTexts();
  const bulk = useBulk(operation, selected, onDone);
  const { possible, run, progress } = bulk;
  const words = texts.bulk[operation];
  const submit = (values: FormData) =>
    run.mutate(bodyOf(operation, values), {
      onSuccess: ({ done, failed }) => {
        if (done > 0) announce(words.done(done));
        if (failed === 0) onClose();
      },
    });
  return (
    <Sheet title={words.title} isKept={run.isPending} isOpen onOpenChange={onClose}>
      <Loaded query={bulk.query}>
        {() => (
          <Form
            submit={words.act(possible.length)}
            isDisabled={!bulk.isReady || possible.length === 0}
            sending={run}
            onSubmit={submit}
            onCancel={onClose}
            isCancelDisabled={run.isPending}
          >
            {words.consequence !== null && <p>{words.consequence}</p>}
            {operation === 'propose' && <ContractorsField />}
            {operation === 'assign' && <ContractorField />}
            <Results bulk={bulk} />
            <p role="status" className={styles['small']}>
              {progress !== null && texts.bulkProgress(progress, possible.length)}
              {progress === null && run.data && run.data.done > 0 && words.done(run.data.done)}
            </p>
          </Form>
        )}
      </Loaded>
    </Sheet>
  );
}

/** The numbers of the tickets that cannot be moved, could not be read, or failed to be moved. */
function Results({ bulk: { impossible, unread, failures } }: { bulk: ReturnType<typeof useBulk> }) {
  const texts = useTexts();
  const { language } = useLocale();
  const failed = [...unread, ...failures];
  const statusOf = ({ status }: Ticket) => ticketStatuses[status][language];
  return (
    <>
      {impossible.length > 0 && <h3>{texts.bulkImpossible}</h3>}
      {impossible.length > 0 && (
        <ul aria-label={texts.bulkImpossible} className={styles['items']}>
          {impossible.map((ticket) => (
            <li key={ticket._id} className={styles['item']}>
              {texts.didWhat(ticket.number, statusOf(ticket))}
            </li>
          ))}
        </ul>
      )}
      {failed.length > 0 && (
        <div role="alert">
          <h3>{texts.bulkFailed}</h3>
          <ul aria-label={texts.bulkFailed} className={styles['items']}>
            {failed.map(({ ticket, error }) => (
              <li key={ticket._id} className={styles['item']}>
                <span>
                  {texts.didWhat(ticket.number, '')}
                  <ErrorText error={error} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function bodyOf(operation: BulkOperation, values: FormData): Record<string, unknown> {
  if (operation === 'propose') return { contractor_ids: values.getAll('contractor_ids') };
  return operation === 'assign' ? { contractor_id: textOf(values, 'contractor_id') } : {};
}
