import { Link } from 'react-aria-components';
import type { Invoice } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import styles from '../panel.module.css';

/** Notes about related invoices: those that it replaces or credits. Possible duplicates have an alert of their own. */
export function RelatedNotes({ invoice: { related, state, reasons } }: { invoice: Invoice }) {
  const texts = useTexts();
  const isDuplicate = state === 'manual_review' && reasons.includes('duplicate_suspected');
  const shown = related.filter(
    ({ relation }) => !isDuplicate || (relation !== 'duplicate' && relation !== 'same_number'),
  );
  if (shown.length === 0) return null;
  return (
    <ul className={styles['related']} aria-label={texts.related}>
      {shown.map(({ id, number, relation, ticket }) => (
        <li key={id}>
          <span className={styles['muted']}>{texts.relations[relation]}</span>{' '}
          <Link href={`/invoices/${id}`}>{number ?? texts.unnumbered}</Link>
          {ticket && <span className={styles['muted']}> · {ticket.number}</span>}
        </li>
      ))}
    </ul>
  );
}
