import { ticketQuoteAdded } from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import {
  assignView,
  declineQuotes,
  finishDecision,
  unchanged,
  withStatusByQuotes,
} from '../tickets/lifecycle/decision.ts';
import { isPermitted, permit } from '../tickets/lifecycle/status-machine.ts';
import {
  type Actor,
  clientView,
  type Decision,
  isLive,
  type Quote,
  type Ticket,
  ticketRef,
  type View,
  viewOfCompany,
} from '../tickets/ticket.ts';

const quotesPerTicket = 200;

type NewQuote = Pick<Quote, '_id' | 'reference' | 'price' | 'includes_vat' | 'file'>;

/**
 * Adds a quote of the acting contractor or, if the client acts, of the contractor it names (required if several are on the
 * ticket). While work is under way it is an additional quote, which is decided without moving the ticket.
 * @throws ValidationError at `contractor_id`; AppError unprocessable `ticket_too_many`, and those of `permit`
 */
export function addQuote(
  ticket: Ticket,
  actor: Actor,
  now: Date,
  input: NewQuote & { contractor_id: string | null },
): Decision {
  const additional = isPermitted(ticket, actor, 'add_extra_quote');
  if (!additional) permit(ticket, actor, 'add_quote');
  if (ticket.quotes.length >= quotesPerTicket) {
    throw new AppError('unprocessable', 'ticket_too_many', `a ticket holds at most ${quotesPerTicket} quotes`);
  }
  const { contractor_id: named, ...given } = input;
  const view = quotingView(ticket, actor, named);
  const pending = { status: 'pending', validated: false, validated_at: null, added_at: now } as const;
  const flag = additional ? ({ additional } as const) : {};
  const quote: Quote = { ...given, ...pending, ...flag, contractor_id: view.contractor_id as string };
  const after = { ...ticket, quotes: [...ticket.quotes, quote] };
  return finishDecision(ticket, additional ? after : withStatusByQuotes(after), now, {
    events: [quoteAdded(after, view, quote, now)],
  });
}

/** The view of the contractor that quotes. @throws ValidationError at `contractor_id` */
function quotingView(ticket: Ticket, actor: Actor, named: string | null): View {
  if (actor.party === 'contractor') {
    const own = viewOfCompany(ticket, actor.companyId) as View;
    if (named !== null && named !== own.contractor_id) throw fault('a contractor adds quotes of its own alone');
    return own;
  }
  const contractors = ticket.views.filter((view) => view.role === 'contractor' && isLive(view));
  if (named === null && contractors.length > 1) throw fault('several contractors are on this ticket: name one');
  const view = named === null ? contractors[0] : contractors.find(({ contractor_id }) => contractor_id === named);
  if (!view) throw fault(named === null ? 'no contractor is on this ticket' : 'this contractor is not on the ticket');
  return view;
}

function fault(message: string): ValidationError {
  return new ValidationError([{ path: 'contractor_id', message }]);
}

/** The event for the client and the contractor that quotes. */
function quoteAdded(ticket: Ticket, { company_id }: View, given: Quote, now: Date) {
  const { _id, reference, price, includes_vat } = given;
  const audience = [clientView(ticket).company_id as string, ...(company_id ? [company_id] : [])];
  const quote = { id: _id, reference, amount: Number(price), includes_vat, added_at: now.toISOString() };
  return ticketQuoteAdded({ audience, payload: { ticket: ticketRef(ticket), quote } }, now, ticket._id);
}

/** Validates a quote. If the contractor's proposal is pending, the contractor gets the ticket, as by accepting. */
export function validateQuote(ticket: Ticket, actor: Actor, now: Date, quoteId: string): Decision {
  const quote = findQuote(ticket, actor, quoteId);
  const additional = permitDecision(ticket, actor, { quote, operation: 'validate_quote' });
  if (quote.status === 'validated') return unchanged(ticket);
  const view = ticket.views.find(({ contractor_id }) => contractor_id === quote.contractor_id);
  if (!view || !isLive(view))
    throw new AppError('conflict', 'quote_contractor_gone', 'the contractor of this quote is no longer on the ticket');
  const chosen = view.state === 'pending' ? assignView(ticket, view._id, now) : ticket;
  const after: Ticket = {
    ...chosen,
    validated_by: actor.party === 'timer' ? null : actor.user,
    quotes: changed(chosen, quoteId, { status: 'validated', validated: true, validated_at: now }),
  };
  return finishDecision(ticket, additional ? after : withStatusByQuotes(after), now);
}

export function declineQuote(ticket: Ticket, actor: Actor, now: Date, quoteId: string): Decision {
  const quote = findQuote(ticket, actor, quoteId);
  const additional = permitDecision(ticket, actor, { quote, operation: 'decline_quote' });
  if (quote.status === 'declined') return unchanged(ticket);
  const after = declineQuotes(ticket, ({ _id }) => _id === quoteId);
  return finishDecision(ticket, additional ? after : withStatusByQuotes(after), now);
}

type QuoteDecision = { quote: Quote; operation: 'validate_quote' | 'decline_quote' };

/** True for a decision on an additional quote while work is scheduled, which does not move the ticket. */
function permitDecision(ticket: Ticket, actor: Actor, { quote, operation }: QuoteDecision): boolean {
  if (quote.additional && isPermitted(ticket, actor, 'decide_extra_quote')) return true;
  permit(ticket, actor, operation);
  return false;
}

function changed(ticket: Ticket, quoteId: string, change: Partial<Quote>): Quote[] {
  return ticket.quotes.map((quote) => (quote._id === quoteId ? { ...quote, ...change } : quote));
}

/** A contractor finds only its own quotes. @throws AppError not_found `quote_not_found` */
function findQuote(ticket: Ticket, actor: Actor, quoteId: string): Quote {
  const own = actor.party === 'contractor' ? viewOfCompany(ticket, actor.companyId) : undefined;
  const quote = ticket.quotes.find(({ _id }) => _id === quoteId);
  if (!quote || (own && own.contractor_id !== quote.contractor_id))
    throw new AppError('not_found', 'quote_not_found', 'this ticket has no such quote');
  return quote;
}
