import { type NewEvent, ticketStatusChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import {
  activeView,
  type Decision,
  isLive,
  type NoteDraft,
  type Quote,
  type Status,
  statusOf,
  type Ticket,
  type View,
  type ViewState,
} from './ticket.ts';

/** A contractor of the client's directory, as far as a view needs it. */
export type Candidate = { id: string; company_id: string | null };

/**
 * Ends a rule: stamps the change, sets the next timer, and tells every company whose view changed, once
 * (design section 6: `from` is null for a contractor to whom the ticket becomes visible).
 */
export function finishDecision(
  before: Ticket,
  after: Ticket,
  now: Date,
  more: { events?: NewEvent[]; notes?: NoteDraft[] } = {},
): Decision {
  const ticket = { ...after, updated_at: now };
  return {
    ticket: { ...ticket, due_at: nextDue(ticket) },
    events: [...statusEvents(before, ticket, now), ...(more.events ?? [])],
    ...(more.notes ? { notes: more.notes } : {}),
  };
}

/** Nothing to do: the same ticket, no event. */
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

/** How an event names its ticket (spec section 6.2). */
export function ticketRef({ _id, number, title }: Pick<Ticket, '_id' | 'number' | 'title'>): {
  id: string;
  number: string;
  title: string;
} {
  return { id: _id, number, title };
}

/** The ticket in another status: its client sees it, and so does its contractor. */
export function withStatus(ticket: Ticket, status: Status): Ticket {
  const views = ticket.views.map((view) =>
    view.state === 'client' || view.state === 'active' ? { ...view, status } : view,
  );
  return { ...ticket, views };
}

/** Views in any of `states`, over: they see `canceled` and hear no more. */
export function withdrawViews(ticket: Ticket, ...states: ViewState[]): Ticket {
  const views = ticket.views.map(
    (view): View => (states.includes(view.state) ? { ...view, state: 'canceled', status: 'canceled' } : view),
  );
  return { ...ticket, views };
}

/** Gives the ticket its contractor; whoever else was proposed or had it is out of it. */
export function assignView(ticket: Ticket, viewId: string, now: Date): Ticket {
  const views = ticket.views.map((view): View => {
    if (view._id === viewId) return { ...view, state: 'active', status: statusOf(ticket), reason: null };
    return view.state === 'pending' || view.state === 'active'
      ? { ...view, state: 'canceled', status: 'canceled' }
      : view;
  });
  return { ...ticket, views, assigned_at: now };
}

/** The ticket with a view for a contractor: the one it has, or a new one. */
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

/** Quotes that still count: those of contractors that are neither declined nor out of the ticket. */
export function liveQuotes(ticket: Ticket): Quote[] {
  const live = new Set(ticket.views.filter(isLive).map(({ contractor_id }) => contractor_id));
  return ticket.quotes.filter(({ contractor_id }) => live.has(contractor_id));
}

/** What the quotes make of the status (domain.md section 4, quote recompute): "validated wins". */
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

/** The ticket where its quotes put it; they do not move one whose work is under way or over. */
export function withStatusByQuotes(ticket: Ticket): Ticket {
  return recomputable.includes(statusOf(ticket)) ? withStatus(ticket, statusByQuotes(ticket)) : ticket;
}

/** `validated` on quotes ends when work is scheduled (design section 6); `validated_at` stays. */
export function clearValidatedQuotes(ticket: Ticket): Ticket {
  if (!ticket.quotes.some(({ validated }) => validated)) return ticket;
  return { ...ticket, quotes: ticket.quotes.map((quote) => ({ ...quote, validated: false })) };
}

/** When a timer next has something to do: the last planned date is over, or a proposal runs out; null: never. */
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

/** True where the ticket has a contractor to work on it. */
export function hasContractor(ticket: Ticket): boolean {
  return activeView(ticket) !== undefined;
}
