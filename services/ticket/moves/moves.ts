// Why it is so: docs/decisions/moves-of-a-ticket.md
import { AppError, ValidationError } from '@app/kernel';
import {
  assignView,
  type Candidate,
  clearValidatedQuotes,
  finishDecision,
  statusByQuotes,
  unchanged,
  withdrawViews,
  withStatus,
  withViewFor,
} from '../tickets/lifecycle/decision.ts';
import { forbiddenMove, type Operation, permit } from '../tickets/lifecycle/status-machine.ts';
import {
  type Actor,
  activeView,
  type Decision,
  type Status,
  statusOf,
  type Ticket,
  typologies,
  type View,
  viewOfCompany,
} from '../tickets/ticket.ts';

type Move<Input = unknown> = (ticket: Ticket, actor: Actor, now: Date, input: Input) => Decision;

/** A move that only changes the status. */
function to(operation: Operation, status: Status): Move {
  return (ticket, actor, now) => {
    if (permit(ticket, actor, operation) === 'already') return unchanged(ticket);
    return finishDecision(ticket, withStatus(ticket, status), now);
  };
}

export const submit = to('submit', 'opened');
export const qualify = to('qualify', 'waiting');
export const takeCharge = to('take_charge', 'assigned');
export const askToPlan = to('ask_to_plan', 'toplan');

/** Work is being scheduled, so quotes are no longer `validated`. */
export const askForDate: Move = (ticket, actor, now) => {
  if (permit(ticket, actor, 'ask_for_date') === 'already') return unchanged(ticket);
  return finishDecision(ticket, withStatus(clearValidatedQuotes(ticket), 'waitingplan'), now);
};

export const propose: Move<{ contractors: Candidate[]; expiresAt: Date | null }> = (
  ticket,
  actor,
  now,
  { contractors, expiresAt },
) => {
  permit(ticket, actor, 'propose');
  const pending = new Set(
    ticket.views.filter(({ state }) => state === 'pending').map(({ contractor_id }) => contractor_id),
  );
  const asked = contractors.filter(({ id }) => !pending.has(id));
  if (asked.length === 0 && statusOf(ticket) === 'proposed') return unchanged(ticket);
  const given = { state: 'pending', status: 'proposed', expires_at: expiresAt } as const;
  const proposed = asked.reduce((next, candidate) => withViewFor(next, candidate, given), ticket);
  const assigned_at = activeView(proposed) ? ticket.assigned_at : null;
  return finishDecision(ticket, { ...withStatus(proposed, 'proposed'), assigned_at }, now);
};

/** The actor becomes the contractor of the ticket; other pending proposals are canceled. */
export const accept: Move = (ticket, actor, now) => {
  if (permit(ticket, actor, 'accept') === 'already') return unchanged(ticket);
  return finishDecision(
    ticket,
    withStatus(assignView(ticket, ownView(ticket, actor)._id, now), 'waiting_contractor'),
    now,
  );
};

export const decline: Move<{ reason: string | null }> = (ticket, actor, now, { reason }) => {
  if (permit(ticket, actor, 'decline') === 'already') return unchanged(ticket);
  return finishDecision(ticket, withoutContractor(ticket, ownView(ticket, actor), reason), now);
};

/** Pending proposals past their time, as if their contractors had declined. */
export function expire(ticket: Ticket, now: Date): Decision {
  permit(ticket, { party: 'timer' }, 'expire');
  const expiredViews = ticket.views.filter(
    ({ state, expires_at }) => state === 'pending' && expires_at !== null && expires_at <= now,
  );
  if (expiredViews.length === 0) return unchanged(ticket);
  const expired = expiredViews.reduce((next, view) => withoutContractor(next, view, 'expired'), ticket);
  return finishDecision(ticket, expired, now);
}

/**
 * Declines the view of one contractor and its pending quotes. While another proposal is pending the ticket keeps its status
 * (recomputed if this contractor had quoted); otherwise it is declined.
 */
function withoutContractor(ticket: Ticket, own: View, reason: string | null): Ticket {
  const quoted = ticket.quotes.some(
    ({ contractor_id, status }) => contractor_id === own.contractor_id && status === 'pending',
  );
  const left: Ticket = {
    ...ticket,
    assigned_at: own.state === 'active' ? null : ticket.assigned_at,
    views: ticket.views.map((view) =>
      view._id === own._id ? { ...view, state: 'declined', status: 'declined', reason } : view,
    ),
    quotes: ticket.quotes.map((quote) =>
      quote.contractor_id === own.contractor_id && quote.status === 'pending'
        ? { ...quote, status: 'declined' }
        : quote,
    ),
  };
  if (!left.views.some(({ state }) => state === 'pending')) return withStatus(left, 'declined');
  if (!quoted) return left;
  const byQuotes = statusByQuotes(left);
  return withStatus(left, byQuotes === 'dropped' ? 'proposed' : byQuotes);
}

export const assign: Move<{ contractor: Candidate }> = (ticket, actor, now, { contractor }) => {
  if (actor.party === 'client' && activeView(ticket)?.contractor_id === contractor.id) return unchanged(ticket);
  // `assigned` is a start status too, so `permit` never returns 'already': assigning another contractor is a move.
  permit(ticket, actor, 'assign');
  const seen = withViewFor(ticket, contractor, { state: 'pending', status: 'proposed', expires_at: null });
  const view = seen.views.find(({ contractor_id }) => contractor_id === contractor.id) as View;
  return finishDecision(ticket, withStatus(assignView(seen, view._id, now), 'assigned'), now);
};

export const unassign: Move = (ticket, actor, now) => {
  if (permit(ticket, actor, 'unassign') === 'already') return unchanged(ticket);
  return finishDecision(ticket, { ...withStatus(withdrawViews(ticket, 'active'), 'waiting'), assigned_at: null }, now);
};

type Reserve = { reserve: boolean | null };

export const finish: Move<Reserve> = (ticket, actor, now, { reserve }) => {
  const verdict = permit(ticket, actor, 'finish');
  checkReserve(ticket, reserve);
  if (verdict === 'already') return unchanged(ticket);
  return finishDecision(
    ticket,
    {
      ...withStatus(withdrawViews(clearValidatedQuotes(ticket), 'pending'), 'finished'),
      ...withReserve(ticket, reserve),
    },
    now,
  );
};

/** With `strict`, only a finished ticket can be closed. */
export const close: Move<Reserve & { strict?: boolean }> = (ticket, actor, now, { reserve, strict = false }) => {
  const verdict = permit(ticket, actor, 'close');
  const status = statusOf(ticket);
  if (strict && status !== 'finished' && status !== 'closed') throw forbiddenMove(status, 'close');
  checkReserve(ticket, reserve);
  if (verdict === 'already') return unchanged(ticket);
  const closed = {
    ...withStatus(withdrawViews(clearValidatedQuotes(ticket), 'pending'), 'closed'),
    ...withReserve(ticket, reserve),
    closed_at: now,
  };
  return finishDecision(ticket, closed, now);
};

/** `reserve` is for reserve tickets only. A business rule, so it is checked after 403 and 409 (docs/api.md). */
function checkReserve(ticket: Ticket, reserve: boolean | null): void {
  if (reserve === null || ticket.typology_id === typologies.leveeReserves) return;
  throw new ValidationError([{ path: 'reserve', message: 'reserve is for tickets of typology levee-reserves alone' }]);
}

function withReserve(ticket: Ticket, reserve: boolean | null): Reserve {
  return { reserve: reserve ?? ticket.reserve };
}

/** A contractor cancels only a ticket that it created, and before any of its quotes was validated. */
export const cancel: Move<{ reason: string | null }> = (ticket, actor, now, { reason }) => {
  if (actor.party === 'contractor' && ticket.created_by.company_id !== actor.companyId) {
    throw new AppError('forbidden', 'forbidden', 'a contractor can cancel only a ticket that it created');
  }
  if (permit(ticket, actor, 'cancel') === 'already') return unchanged(ticket);
  if (actor.party === 'contractor' && ticket.quotes.some(({ validated_at }) => validated_at !== null)) {
    throw forbiddenMove(statusOf(ticket), 'cancel');
  }
  const canceled = withStatus(withdrawViews(ticket, 'pending'), 'canceled');
  if (reason === null || actor.party === 'timer') return finishDecision(ticket, canceled, now);
  return finishDecision(ticket, canceled, now, { notes: [{ text: reason, type: 'managers', author: actor.user }] });
};

/** Contractor, dates and quotes stay, so that planning can go on from `opened`. */
export const reopen: Move = (ticket, actor, now) => {
  if (permit(ticket, actor, 'reopen') === 'already') return unchanged(ticket);
  return finishDecision(ticket, { ...withStatus(ticket, 'opened'), closed_at: null }, now);
};

/** Removes the ticket for every contractor; those with a live view get a status event. */
export const remove: Move = (ticket, actor, now) => {
  if (permit(ticket, actor, 'remove') === 'already') return unchanged(ticket);
  const removed = withStatus(withdrawViews(ticket, 'pending'), 'removed');
  const { events } = finishDecision(ticket, removed, now);
  const hidden = { ...removed, views: removed.views.map((view): View => ({ ...view, status: 'removed' })) };
  return { ticket: finishDecision(ticket, hidden, now).ticket, events };
};

function ownView(ticket: Ticket, actor: Actor): View {
  const view = actor.party === 'timer' ? undefined : viewOfCompany(ticket, actor.companyId);
  if (!view) throw new Error('the actor has no view of this ticket');
  return view;
}
