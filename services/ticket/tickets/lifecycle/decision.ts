import { type NewEvent, ticketStatusChanged } from '@app/contracts';
import { AppError, newId } from '@app/kernel';
import {
  activeView,
  type Decision,
  isLive,
  type NoteDraft,
  type Quote,
  type Status,
  statusOf,
  type Ticket,
  ticketRef,
  type View,
  type ViewState,
} from '../ticket.ts';

/** Every view adds keys to the indexes of tickets. */
const contractorsPerTicket = 200;

/** A contractor of the client's directory who may get a view of the ticket. */
export type Candidate = { id: string; company_id: string | null };

/**
 * The last step of a rule: sets `updated_at` and the next timer, and adds one status event for each change of status, to the
 * companies whose views changed. `from` is null for a contractor to whom the ticket becomes visible.
 */
export function finishDecision(
  before: Ticket,
  after: Ticket,
  now: Date,
  more: { events?: NewEvent[]; notes?: NoteDraft[] } = {},
): Decision {
  const ticket = withoutLostQuotes({ ...after, updated_at: now });
  return {
    ticket: { ...ticket, due_at: nextDue(ticket) },
    events: [...statusEvents(before, ticket, now), ...(more.events ?? [])],
    ...(more.notes ? { notes: more.notes } : {}),
  };
}

/** The decision that changes nothing. */
export function unchanged(ticket: Ticket): Decision {
  return { ticket, events: [] };
}

function statusEvents(before: Ticket, after: Ticket, now: Date): NewEvent[] {
  const former = new Map(before.views.map((view) => [view._id, view]));
  const changes = after.views.flatMap((view) => {
    const from = former.get(view._id)?.status ?? null;
    return view.company_id !== null && from !== view.status
      ? [{ company: view.company_id, from, to: view.status }]
      : [];
  });
  const groups = Map.groupBy(changes, ({ from, to }) => `${from} ${to}`);
  return [...groups.values()].map((group) => {
    const { from, to } = group[0] as (typeof group)[number];
    const audience = group.map(({ company }) => company);
    return ticketStatusChanged(
      { audience, payload: { ticket: ticketRef(after), status: { from, to } } },
      now,
      after._id,
    );
  });
}

/** Sets the status of the ticket, which its client and its contractor see. */
export function withStatus(ticket: Ticket, status: Status): Ticket {
  const views = ticket.views.map((view) =>
    view.state === 'client' || view.state === 'active' ? { ...view, status } : view,
  );
  return { ...ticket, views };
}

/** Cancels the views in any of `states`: they show `canceled` and get no more events. */
export function withdrawViews(ticket: Ticket, ...states: ViewState[]): Ticket {
  const views = ticket.views.map(
    (view): View => (states.includes(view.state) ? { ...view, state: 'canceled', status: 'canceled' } : view),
  );
  return { ...ticket, views };
}

/** Makes `viewId` the contractor of the ticket and cancels the views of every other proposed or active contractor. */
export function assignView(ticket: Ticket, viewId: string, now: Date): Ticket {
  const views = ticket.views.map((view): View => {
    if (view._id === viewId) return { ...view, state: 'active', status: statusOf(ticket), reason: null };
    return view.state === 'pending' || view.state === 'active'
      ? { ...view, state: 'canceled', status: 'canceled' }
      : view;
  });
  return { ...ticket, views, assigned_at: now };
}

/**
 * Updates the contractor's view with `given`, or adds one.
 * @throws AppError unprocessable `ticket_too_many`
 */
export function withViewFor(
  ticket: Ticket,
  candidate: Candidate,
  given: Pick<View, 'state' | 'status'> & { expires_at: Date | null },
): Ticket {
  const existing = ticket.views.find(({ contractor_id }) => contractor_id === candidate.id);
  if (existing) {
    const views = ticket.views.map((view) => (view === existing ? { ...view, ...given, reason: null } : view));
    return { ...ticket, views };
  }
  if (ticket.views.filter(({ role }) => role === 'contractor').length >= contractorsPerTicket) {
    const message = `a ticket is given or proposed to at most ${contractorsPerTicket} contractors`;
    throw new AppError('unprocessable', 'ticket_too_many', message);
  }
  const view: View = {
    _id: newId(),
    company_id: candidate.company_id,
    role: 'contractor',
    contractor_id: candidate.id,
    reason: null,
    ...given,
  };
  return { ...ticket, views: [...ticket.views, view] };
}

/** Declines quotes. Who orders what is validated reads `validated` or `validated_at`, so none of them is left. */
export function declineQuotes(ticket: Ticket, isDeclined: (quote: Quote) => boolean): Ticket {
  const declined = { status: 'declined', validated: false, validated_at: null } as const;
  const quotes = ticket.quotes.map((quote) => (isDeclined(quote) ? { ...quote, ...declined } : quote));
  const isValidated = quotes.some(({ status }) => status === 'validated');
  return { ...ticket, quotes, validated_by: isValidated ? ticket.validated_by : null };
}

/** What was validated ends with the ticket of its contractor: replaced, declined or canceled, it would be ordered in vain. */
function withoutLostQuotes(ticket: Ticket): Ticket {
  const live = ['canceled', 'removed'].includes(statusOf(ticket)) ? [] : liveQuotes(ticket);
  const isLost = (quote: Quote) => quote.status === 'validated' && !live.includes(quote);
  return ticket.quotes.some(isLost) ? declineQuotes(ticket, isLost) : ticket;
}

/** Quotes of contractors whose views are live. */
export function liveQuotes(ticket: Ticket): Quote[] {
  const live = new Set(ticket.views.filter(isLive).map(({ contractor_id }) => contractor_id));
  return ticket.quotes.filter(({ contractor_id }) => live.has(contractor_id));
}

/** The status that the live quotes lead to: one validated quote wins over pending ones. */
export function statusByQuotes(ticket: Ticket): 'validated' | 'validation' | 'dropped' {
  const quotes = liveQuotes(ticket);
  if (quotes.some(({ validated }) => validated)) return 'validated';
  return quotes.some(({ status }) => status === 'pending') ? 'validation' : 'dropped';
}

const recomputable: readonly Status[] = [
  'waiting_contractor',
  'assigned',
  'toplan',
  'waitingplan',
  'toreplan',
  'visit',
  'visit_devis',
  'validation',
  'validated',
  'dropped',
  'proposed',
  'opened',
];

/** Moves the ticket to the status its quotes lead to, unless its work is under way or done. */
export function withStatusByQuotes(ticket: Ticket): Ticket {
  return recomputable.includes(statusOf(ticket)) ? withStatus(ticket, statusByQuotes(ticket)) : ticket;
}

/** Sets `validated` of all quotes to false, as work is scheduled now; `validated_at` stays. */
export function clearValidatedQuotes(ticket: Ticket): Ticket {
  if (!ticket.quotes.some(({ validated }) => validated)) return ticket;
  return { ...ticket, quotes: ticket.quotes.map((quote) => ({ ...quote, validated: false })) };
}

/** When a timer next has something to do: the last planned date ends, or a proposal expires; null: never. */
function nextDue(ticket: Ticket): Date | null {
  const status = statusOf(ticket);
  const planned = ticket.dates.filter(({ category, state }) => category === status && state === 'planned');
  const over = planned.length > 0 ? [Math.max(...planned.map(({ end }) => end.getTime()))] : [];
  const expiries = ticket.views.flatMap(({ state, expires_at }) =>
    state === 'pending' && expires_at ? [expires_at.getTime()] : [],
  );
  const moments = [...over, ...expiries];
  return moments.length === 0 ? null : new Date(Math.min(...moments));
}

/** True for a ticket with a contractor. */
export function hasContractor(ticket: Ticket): boolean {
  return activeView(ticket) !== undefined;
}
