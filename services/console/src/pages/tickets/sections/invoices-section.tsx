import { Link } from 'react-aria-components';
import { DateTime, Money } from '../../../components/data-display/values.tsx';
import { may } from '../../../session/permissions.ts';
import { useSession } from '../../../session/session.ts';
import type { Ticket } from '../list-query.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';

/** Lines that the reconciliation of invoices has put on the ticket. */
export function InvoicesSection({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const session = useSession();
  const hasBench = session.company.kind === 'client' && may(session, 'accounting');
  if (ticket.invoices.length === 0) return null;
  return (
    <Section id="invoices" title={texts.invoices}>
      <ul aria-label={texts.invoices} className={styles['items']}>
        {ticket.invoices.map(({ _id, reference, invoice_id, supplier, amounts, supplier_status: told }) => (
          <li key={_id} className={styles['item']}>
            {hasBench ? <Link href={`/invoices/${invoice_id}`}>{reference}</Link> : <strong>{reference}</strong>}
            <span>{supplier.name}</span>
            <Money amount={amounts.ht} basis="HT" />
            <Money amount={amounts.ttc} basis="TTC" />
            {told && <Told told={told} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Where the invoice stands, as its supplier was told: client and supplier read the same. */
function Told({ told }: { told: NonNullable<Ticket['invoices'][number]['supplier_status']> }) {
  const { statuses, statusReasons } = useTexts();
  const { status, reason, note, at } = told;
  return (
    <p className={styles['said']}>
      <strong>{statuses[status]}</strong> <DateTime value={at} />{' '}
      <span className={styles['small']}>{[reason && statusReasons[reason], note].filter(Boolean).join('. ')}</span>
    </p>
  );
}
