import { StatusBadge } from '../../../../components/data-display/badge.tsx';
import { ticketStatuses } from '../../../../words/status-words.ts';
import { useSignalsOf } from '../../data/invoice-queries.ts';
import { signalsOfLink } from '../../rules/comparison.ts';
import type { Invoice } from '../../rules/invoice.ts';
import { useTexts } from '../../texts.ts';
import styles from '../panel.module.css';
import { TicketComparison } from './ticket-comparison.tsx';
import { TicketLink } from './ticket-link.tsx';

type Linked = NonNullable<Invoice['linkedTicket']>;

/** The ticket that the invoice is on, compared with it. */
export function LinkedTicket({ invoice, ticket }: { invoice: Invoice; ticket: Linked }) {
  const texts = useTexts();
  const { ticketId, number, title, status, contractor, location } = ticket;
  const known = signalsOfLink(invoice);
  const compared = useSignalsOf(invoice, known === null ? ticket : null);
  const signals = known ?? compared;
  return (
    <div>
      <h3 className={styles['title']}>{texts.linkedTo}</h3>
      <div className={styles['choice']} data-chosen="">
        <div className={styles['linked']}>
          <span className={styles['choiceTitle']}>
            <b>
              <TicketLink ticketId={ticketId}>{number}</TicketLink>
            </b>{' '}
            {title}
          </span>
          <span className={styles['choiceMore']}>
            <StatusBadge words={ticketStatuses} code={status} />
            <span>{contractor?.name ?? texts.noContractor}</span>
            {location !== null && location !== '' && <span>{location}</span>}
          </span>
        </div>
        <TicketComparison
          invoice={invoice}
          choice={{ ...ticket, score: 0, signals: signals ?? [] }}
          hasWhy={signals !== null}
        />
      </div>
    </div>
  );
}
