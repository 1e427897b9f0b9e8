import { AppError, ValidationError } from '@app/kernel';
import { type ClockName, reachedAt } from '../clocks/clocks.ts';
import { finishDecision } from '../tickets/lifecycle/decision.ts';
import { permit } from '../tickets/lifecycle/status-machine.ts';
import { clockHistory } from '../tickets/lifecycle/ticket-clocks.ts';
import type { Actor, Decision, Ticket } from '../tickets/ticket.ts';

/** What a request to move a due date says. */
export type DueDateMove = { clock: ClockName; due_at: Date; reason: string };

const movesPerTicket = 100;
/** As far as a clock looks ahead. */
const furthestMs = 3_653 * 86_400_000;

/**
 * Moves what is due to another time, for the client of the ticket.
 * @throws ValidationError at `due_at`; AppError conflict `no_deadline`, unprocessable `ticket_too_many`, and those of `permit`
 */
export function moveDueDate(ticket: Ticket, actor: Actor, now: Date, { clock: name, due_at }: DueDateMove): Decision {
  permit(ticket, actor, 'edit');
  const { clock } = ticket;
  const isDue = clock?.rules?.targets[name] && reachedAt(clockHistory({ ...ticket, clock }), name) === null;
  // While a clock stands there is no date to move.
  if (!clock || !isDue || clock.due[name] === null) {
    throw new AppError('conflict', 'no_deadline', `this ticket has no ${name} that is due now`);
  }
  if (due_at <= now || due_at.getTime() > now.getTime() + furthestMs) {
    throw new ValidationError([{ path: 'due_at', message: 'due_at must be in the future, within ten years' }]);
  }
  if (clock.moves.length >= movesPerTicket) {
    const message = `the due dates of a ticket are moved at most ${movesPerTicket} times`;
    throw new AppError('unprocessable', 'ticket_too_many', message);
  }
  const moves = [...clock.moves, { at: now, clock: name, due_at }];
  return finishDecision(ticket, { ...ticket, clock: { ...clock, moves } }, now);
}
