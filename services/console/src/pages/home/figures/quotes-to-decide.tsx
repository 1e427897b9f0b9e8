import { useState } from 'react';
import { Link } from 'react-aria-components';
import { Button } from '../../../components/button.tsx';
import { Ago, Money } from '../../../components/data-display/values.tsx';
import { Card } from '../../../components/figures/card.tsx';
import { ErrorNote, Loaded } from '../../../components/states.tsx';
import type { Ticket } from '../../tickets/list-query.ts';
import { ConfirmMove } from '../../tickets/moves/confirm-move.tsx';
import { aboutOf } from '../../tickets/moves/moves.ts';
import { basisOf, useTicket, useTickets } from '../../tickets/tickets.ts';
import styles from './figure-grid.module.css';
import { Others } from './others.tsx';
import { useTexts } from './texts.ts';

const mostQuotes = 5;
type Decision = { ticketId: string; quoteId: string; operation: 'validate_quote' | 'decline_quote' };

/** Quotes that wait, the oldest ticket first, with the two answers. */
export function QuotesToDecide() {
  const texts = useTexts();
  const { query, items, more } = useTickets({ status: 'validation', order: 'asc' });
  const list = '/tickets?view=quotes-to-decide';
  const [decision, decide] = useState<Decision | null>(null);
  const quotes = items.flatMap((ticket) =>
    ticket.quotes
      // Nobody decides those of a contractor that has the ticket no more.
      .filter(
        ({ status, contractor_id }) =>
          status === 'pending' && ticket.contractors.some(({ _id }) => _id === contractor_id),
      )
      .map((quote) => ({ ticket, quote })),
  );
  return (
    <Card {...texts.quotesToDecide} href={list}>
      <Loaded query={query} rows={3}>
        {() =>
          quotes.length === 0 ? (
            <p className={styles['small']}>{texts.quotesToDecide.empty}</p>
          ) : (
            <>
              <ul aria-label={texts.quotesToDecide.title} className={styles['items']}>
                {quotes.slice(0, mostQuotes).map(({ ticket, quote }) => (
                  <QuoteRow key={quote._id} ticket={ticket} quote={quote} onDecide={decide} />
                ))}
              </ul>
              <Others count={quotes.length - mostQuotes} isMore={more !== null} href={list} />
            </>
          )
        }
      </Loaded>
      {decision && <Confirm {...decision} onClose={() => decide(null)} />}
    </Card>
  );
}

type RowProps = { ticket: Ticket; quote: Ticket['quotes'][number]; onDecide: (decision: Decision) => void };

function QuoteRow({ ticket, quote, onDecide }: RowProps) {
  const texts = useTexts();
  const contractor = ticket.views.find(({ contractor_id: id }) => id === quote.contractor_id)?.name;
  const name = `${quote.reference}, ${ticket.number}`;
  return (
    <li className={styles['item']}>
      <Link href={`/tickets/${ticket._id}#quotes`}>{`${ticket.number} ${ticket.title}`}</Link>
      <Money amount={quote.price} basis={basisOf(quote)} />
      <span className={styles['small']}>{contractor}</span>
      {quote.added_at && <Ago value={quote.added_at} />}
      <span className={styles['answers']}>
        {(['validate_quote', 'decline_quote'] as const).map((operation) => (
          <Button
            key={operation}
            variant={operation === 'validate_quote' ? 'secondary' : 'quiet'}
            aria-label={texts.actionOn(texts.decisions[operation], name)}
            onPress={() => onDecide({ ticketId: ticket._id, quoteId: quote._id, operation })}
          >
            {texts.decisions[operation]}
          </Button>
        ))}
      </span>
    </li>
  );
}

/** Asks for confirmation, once the ticket says that the quote may be decided. */
function Confirm({ ticketId, quoteId, operation, onClose }: Decision & { onClose: () => void }) {
  const texts = useTexts();
  const { data: ticket, error } = useTicket(ticketId);
  if (!ticket) return <ErrorNote error={error} />;
  const move = ticket.moves?.find((one) => one.operation === operation && aboutOf(one) === quoteId);
  if (!move) return <p role="alert">{texts.decidedMeanwhile}</p>;
  return <ConfirmMove ticket={ticket} move={move} onClose={onClose} />;
}
