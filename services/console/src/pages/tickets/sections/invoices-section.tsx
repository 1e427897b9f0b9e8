import { Link } from 'react-aria-components';
import { Money } from '../../../components/data-display/values.tsx';
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
        {ticket.invoices.map(({ _id, reference, invoice_id, supplier, amounts }) => (
          <li key={_id} className={styles['item']}>
            {hasBench ? <Link href={`/invoices/${invoice_id}`}>{reference}</Link> : <strong>{reference}</strong>}
            <span>{supplier.name}</span>
            <Money amount={amounts.ht} basis="HT" />
            <Money amount={amounts.ttc} basis="TTC" />
          </li>
        ))}
      </ul>
    </Section>
  );
}
