import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Badge } from '../../../components/data-display/badge.tsx';
import { DateTime, Money } from '../../../components/data-display/values.tsx';
import { useSession } from '../../../session/session.ts';
import type { Family } from '../../../words/family.ts';
import type { Ticket } from '../list-query.ts';
import { ConfirmMove } from '../moves/confirm-move.tsx';
import { aboutOf, type Move } from '../moves/moves.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { basisOf } from '../tickets.ts';

type Quote = Ticket['quotes'][number];

const families: Record<Quote['status'], Family> = { pending: 'warning', validated: 'success', declined: 'danger' };

export function QuotesSection({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  return (
    <Section id="quotes" title={texts.quotes}>
      {ticket.quotes.length === 0 ? (
        <p className={styles['small']}>{texts.noQuotes}</p>
      ) : (
        <ul aria-label={texts.quotes} className={styles['items']}>
          {ticket.quotes.map((quote) => (
            <QuoteItem key={quote._id} ticket={ticket} quote={quote} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function QuoteItem({ ticket, quote }: { ticket: Ticket; quote: Quote }) {
  const texts = useTexts();
  const { company } = useSession();
  const { price_threshold: threshold } = ticket;
  const contractor = ticket.views.find(({ contractor_id }) => contractor_id === quote.contractor_id)?.name;
  // The threshold is without VAT: a price with VAT above it may be below it without.
  const isOver = threshold !== null && Number(quote.price) > threshold;
  const over = quote.includes_vat ? texts.maybeOverThreshold : texts.overThreshold;
  return (
    <li className={styles['item']}>
      <strong>{quote.reference}</strong>
      <Money amount={quote.price} basis={basisOf(quote)} />
      <Badge family={families[quote.status]}>{texts.quoteStates[quote.status]}</Badge>
      {isOver && <Badge family="warning">{over}</Badge>}
      {company.kind === 'client' && contractor && <span>{contractor}</span>}
      {quote.added_at && (
        <span className={styles['small']}>
          <DateTime value={quote.added_at} />
        </span>
      )}
      {quote.download_url && (
        <a href={quote.download_url} download>
          {texts.download(quote.reference)}
        </a>
      )}
      <Decisions ticket={ticket} quote={quote} />
    </li>
  );
}

function Decisions({ ticket, quote }: { ticket: Ticket; quote: Quote }) {
  const texts = useTexts();
  const [asked, setAsked] = useState<Move | null>(null);
  const words: Record<string, string> = texts.moves;
  const moves = (ticket.moves ?? []).filter((move) => aboutOf(move) === quote._id);
  return (
    <>
      {moves.map((move) => (
        <Button key={move.operation} onPress={() => setAsked(move)}>
          {words[move.operation] ?? move.operation}
        </Button>
      ))}
      {asked && <ConfirmMove ticket={ticket} move={asked} onClose={() => setAsked(null)} />}
    </>
  );
}
