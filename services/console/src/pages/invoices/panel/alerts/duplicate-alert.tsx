import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { optional } from '../../../../api/query.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { classes } from '../../../../components/classes.ts';
import { StatusBadge } from '../../../../components/data-display/badge.tsx';
import { DateTime, Day, Money } from '../../../../components/data-display/values.tsx';
import { invoiceStates } from '../../../../words/status-words.ts';
import { invoiceQuery } from '../../data/invoice-queries.ts';
import { confirmsIban } from '../../rules/choice.ts';
import { type Invoice, mayClear } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import styles from '../panel.module.css';
import { Alert } from './alert.tsx';

/** Both invoices side by side, with what differs marked. */
export function DuplicateAlert({ invoice, onClear }: { invoice: Invoice; onClear: () => void }) {
  const texts = useTexts();
  const twin = invoice.related.find(({ relation }) => relation === 'duplicate' || relation === 'same_number');
  return (
    <Alert title={texts.duplicate} isRegion>
      <p>{twin ? texts.duplicateWhy : texts.duplicateGone}</p>
      {twin && <SideBySide invoice={invoice} otherId={twin.id} ticket={twin.ticket?.number ?? null} />}
      {twin && <p>{texts.duplicateLeave}</p>}
      <div className={styles['alertActions']}>
        {mayClear(invoice) && !confirmsIban(invoice) && (
          <Button aria-keyshortcuts="c" onPress={onClear}>
            {texts.notDuplicate}
          </Button>
        )}
        {twin && (
          <ButtonLink variant="quiet" href={`/invoices/${twin.id}`}>
            {texts.openOther}
          </ButtonLink>
        )}
      </div>
    </Alert>
  );
}

type Row = { name: string; show: (one: Invoice, ticket: string | null) => ReactNode; of: (one: Invoice) => unknown };

function SideBySide({ invoice, otherId, ticket }: { invoice: Invoice; otherId: string; ticket: string | null }) {
  const texts = useTexts();
  const { data: other } = useQuery({ ...invoiceQuery(otherId), ...optional });
  const rows: Row[] = [
    { name: texts.number, show: ({ number }) => number, of: ({ number }) => number },
    {
      name: texts.issued,
      show: ({ issueDate }) => issueDate && <Day value={issueDate} />,
      of: ({ issueDate }) => issueDate,
    },
    {
      name: texts.ttc,
      show: ({ amounts, currency }) => amounts && <Money amount={amounts.ttc} currency={currency ?? 'EUR'} />,
      of: ({ amounts }) => amounts?.ttc,
    },
    { name: texts.received, show: ({ createdAt }) => <DateTime value={createdAt} />, of: () => null },
    { name: texts.state, show: ({ state }) => <StatusBadge words={invoiceStates} code={state} />, of: () => null },
    { name: texts.ticket, show: (_, number) => number ?? '–', of: () => null },
  ];
  return (
    <table className={styles['compare']} aria-label={texts.duplicate}>
      <thead>
        <tr>
          <td />
          <th scope="col">{texts.thisInvoice}</th>
          <th scope="col">{texts.otherInvoice}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, show, of }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{show(invoice, null)}</td>
            <td className={classes(other && of(other) !== of(invoice) && styles['differs'])}>
              {other && show(other, ticket)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
