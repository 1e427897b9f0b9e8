import { ticketInterventionDateAdded, ticketVisitDateAdded } from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import {
  assignView,
  clearValidatedQuotes,
  finishDecision,
  hasContractor,
  liveQuotes,
  unchanged,
  withdrawViews,
  withStatus,
} from '../tickets/lifecycle/decision.ts';
import { forbiddenMove, isPermitted, permit } from '../tickets/lifecycle/status-machine.ts';
import {
  type Actor,
  clientView,
  type DateCategory,
  type Decision,
  type Status,
  statusOf,
  type Ticket,
  type TicketDate,
  ticketRef,
  viewOfCompany,
} from '../tickets/ticket.ts';

const datesPerTicket = 1_000;

type NewDate = Omit<TicketDate, 'state'>;

/** Adds a date: a planned one plans a visit or intervention, an actual one confirms it as done. */
export function addDate(ticket: Ticket, actor: Actor, now: Date, date: NewDate): Decision {
  const decision = date.type === 'planned' ? plan(ticket, actor, now, date) : confirm(ticket, actor, now, date);
  if (decision.ticket.dates.length > datesPerTicket) {
    throw new AppError('unprocessable', 'ticket_too_many', `a ticket holds at most ${datesPerTicket} dates`);
  }
  return decision;
}

function plan(ticket: Ticket, actor: Actor, now: Date, date: NewDate): Decision {
  const operation = `plan_${date.category}` as const;
  permit(ticket, actor, operation);
  const accepted = acceptedBy(ticket, actor, now);
  // In `dropped` or `validation` there may be only proposals: nobody has the work yet.
  if (!hasContractor(accepted)) throw forbiddenMove(statusOf(ticket), operation);
  const dates: TicketDate[] = [...accepted.dates, { ...date, state: 'planned' }];
  const after = withStatus(clearValidatedQuotes({ ...accepted, dates }), date.category);
  return finishDecision(ticket, after, now, { events: [dateAdded(after, date, now)] });
}

/** A contractor that plans while it sees `proposed` accepts with that. */
function acceptedBy(ticket: Ticket, actor: Actor, now: Date): Ticket {
  const view = actor.party === 'contractor' ? viewOfCompany(ticket, actor.companyId) : undefined;
  return view?.status === 'proposed' ? assignView(ticket, view._id, now) : ticket;
}

/** The event for the client and the contractor of the ticket. `duration` is in minutes. */
function dateAdded(ticket: Ticket, { category, start, end }: NewDate, now: Date) {
  const event = category === 'visit' ? ticketVisitDateAdded : ticketInterventionDateAdded;
  const contractor = ticket.views.find(({ state }) => state === 'active')?.company_id;
  const duration = Math.round((end.getTime() - start.getTime()) / 60_000);
  const payload = { ticket: ticketRef(ticket), date: { type: category, date: start.toISOString(), duration } };
  const audience = [clientView(ticket).company_id as string, ...(contractor ? [contractor] : [])];
  return event({ audience, payload }, now, ticket._id);
}

function confirm(ticket: Ticket, actor: Actor, now: Date, date: NewDate): Decision {
  const late = `${date.category}_done_late` as const;
  const moves = !isPermitted(ticket, actor, late);
  if (moves) permit(ticket, actor, `${date.category}_done`);
  const dates = ticket.dates.map((planned) =>
    isConfirmedBy(planned, date) ? { ...planned, state: 'done' as const } : planned,
  );
  const after: Ticket = { ...ticket, dates: [...dates, { ...date, state: 'done' }] };
  return finishDecision(ticket, moves ? done(after, date.category) : after, now);
}

/** An actual date confirms the planned ones that begin before it ends; later ones stay planned. */
function isConfirmedBy(planned: TicketDate, actual: NewDate): boolean {
  return planned.state === 'planned' && planned.category === actual.category && planned.start <= actual.end;
}

/** The status after a visit or intervention was done; a finished ticket has no pending proposals. */
function done(ticket: Ticket, category: DateCategory): Ticket {
  const status = doneStatus(ticket, category);
  return withStatus(status === 'finished' ? withdrawViews(ticket, 'pending') : ticket, status);
}

function doneStatus(ticket: Ticket, category: DateCategory): Status {
  if (category === 'visit')
    return liveQuotes(ticket).some(({ status }) => status === 'pending') ? 'validation' : 'toplan';
  return planned(ticket, 'intervention').length > 0 ? 'intervention' : 'finished';
}

/** @throws AppError not_found `date_not_found`; conflict if the date is no longer planned */
export function notDone(ticket: Ticket, actor: Actor, now: Date, dateId: string): Decision {
  const date = findDate(ticket, dateId);
  const operation = `${date.category}_not_done` as const;
  const verdict = permit(ticket, actor, operation);
  if (verdict === 'already') return unchanged(ticket);
  if (date.state !== 'planned') throw forbiddenMove(statusOf(ticket), operation);
  return finishDecision(ticket, withStatus(withDateState(ticket, [date], 'not_done'), 'toreplan'), now);
}

/** Cancels one planned date, or all future ones (`dateId` null). The status stays while a future date is left. */
export function reschedule(ticket: Ticket, actor: Actor, now: Date, dateId: string | null): Decision {
  const named = dateId === null ? null : namedDate(ticket, dateId);
  if (permit(ticket, actor, 'reschedule') === 'already') return unchanged(ticket);
  if (named && named.state !== 'planned') throw forbiddenMove(statusOf(ticket), 'reschedule');
  const canceled = named ? [named] : ticket.dates.filter((date) => date.state === 'planned' && date.end > now);
  const after = withDateState(ticket, canceled, 'canceled');
  const category = statusOf(ticket).startsWith('visit') ? 'visit' : 'intervention';
  const left = planned(after, category).some(({ end }) => end > now);
  return finishDecision(ticket, left ? after : withStatus(after, 'toreplan'), now);
}

/** If every planned visit (or intervention) is over, the ticket waits for its confirmation; before that nothing changes. */
export function datesPast(ticket: Ticket, now: Date): Decision {
  const status = statusOf(ticket);
  if (status !== 'visit' && status !== 'intervention') return unchanged(ticket);
  const waiting = planned(ticket, status);
  if (waiting.length === 0 || waiting.some(({ end }) => end > now)) return unchanged(ticket);
  permit(ticket, { party: 'timer' }, `${status}s_past`);
  return finishDecision(ticket, withStatus(ticket, status === 'visit' ? 'visit_devis' : 'intervention_finish'), now);
}

function planned(ticket: Ticket, category: DateCategory): TicketDate[] {
  return ticket.dates.filter((date) => date.category === category && date.state === 'planned');
}

function withDateState(ticket: Ticket, changed: TicketDate[], state: TicketDate['state']): Ticket {
  const ids = new Set(changed.map(({ _id }) => _id));
  return { ...ticket, dates: ticket.dates.map((date) => (ids.has(date._id) ? { ...date, state } : date)) };
}

/** For a date id in a body. @throws ValidationError at `date_id` */
function namedDate(ticket: Ticket, dateId: string): TicketDate {
  const date = ticket.dates.find(({ _id }) => _id === dateId);
  if (!date) throw new ValidationError([{ path: 'date_id', message: 'date_id is no date of this ticket' }]);
  return date;
}

function findDate(ticket: Ticket, dateId: string): TicketDate {
  const date = ticket.dates.find(({ _id }) => _id === dateId);
  if (!date) throw new AppError('not_found', 'date_not_found', 'this ticket has no such date');
  return date;
}
