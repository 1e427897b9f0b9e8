import fc from 'fast-check';
import { addDate } from '../../services/ticket/dates/dates.ts';
import * as moves from '../../services/ticket/moves/moves.ts';
import { addQuote, declineQuote, validateQuote } from '../../services/ticket/quotes/quotes.ts';
import { aContractor, aDate, client } from '../../services/ticket/test/tickets/fixtures.ts';
import type { Actor, Decision, Ticket } from '../../services/ticket/tickets/ticket.ts';

export const contractors = [aContractor(), aContractor(), aContractor()];
export const start = new Date('2026-11-21T10:00:00.000Z').getTime();
export const hour = 3_600_000;

/** `by`: who does it; the timer, if nobody. */
export type Step = { name: string; by?: Actor; apply: (ticket: Ticket, now: Date) => Decision };

const actor = fc.constantFrom<Actor>(client, ...contractors.map((one) => one.actor));
const contractor = fc.constantFrom(...contractors);
const day = fc.integer({ min: -3, max: 30 });
const kinds = { category: fc.constantFrom('visit' as const, 'intervention' as const) };

const { submit, qualify, takeCharge, askToPlan, askForDate, accept, unassign, reopen, remove } = moves;
const plainMoves = { submit, qualify, takeCharge, askToPlan, askForDate, accept, unassign, reopen, remove };

/** A move without input, by anyone. */
const plainMove = fc
  .tuple(fc.constantFrom(...Object.entries(plainMoves)), actor)
  .map(([[name, apply], by]): Step => ({ name, by, apply: (ticket, now) => apply(ticket, by, now, undefined) }));

export const move: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: plainMove },
  fc.tuple(fc.uniqueArray(contractor, { minLength: 1 }), fc.option(day)).map(([asked, days]): Step => {
    const expiresAt = days === null ? null : new Date(start + days * 24 * hour);
    const candidates = asked.map(({ candidate }) => candidate);
    return {
      name: 'propose',
      apply: (ticket, now) => moves.propose(ticket, client, now, { contractors: candidates, expiresAt }),
    };
  }),
  contractor.map((one): Step => {
    return { name: 'assign', apply: (ticket, now) => moves.assign(ticket, client, now, { contractor: one.candidate }) };
  }),
  actor.map(
    (by): Step => ({ name: 'decline', by, apply: (ticket, now) => moves.decline(ticket, by, now, { reason: null }) }),
  ),
  actor.map(
    (by): Step => ({ name: 'cancel', by, apply: (ticket, now) => moves.cancel(ticket, by, now, { reason: 'no' }) }),
  ),
  actor.map(
    (by): Step => ({ name: 'finish', by, apply: (ticket, now) => moves.finish(ticket, by, now, { reserve: null }) }),
  ),
  actor.map(
    (by): Step => ({ name: 'close', by, apply: (ticket, now) => moves.close(ticket, by, now, { reserve: null }) }),
  ),
  fc.constant<Step>({ name: 'expire', apply: (ticket, now) => moves.expire(ticket, now) }),
  fc
    .record({ ...kinds, by: actor, days: day, type: fc.constantFrom('planned' as const, 'actual' as const) })
    .map(({ by, days, ...kind }): Step => {
      const begin = new Date(start + days * 24 * hour);
      const date = aDate({ ...kind, start: begin, end: new Date(begin.getTime() + hour) });
      return { name: 'addDate', by, apply: (ticket, now) => addDate(ticket, by, now, date) };
    }),
  fc.tuple(actor, fc.nat({ max: 1_000 })).map(([by, id]): Step => {
    const fields = { price: '10', includes_vat: false, file: null, contractor_id: null };
    const quote = { _id: `q${id}`, reference: `Q${id}`, ...fields };
    return { name: 'addQuote', by, apply: (ticket, now) => addQuote(ticket, by, now, quote) };
  }),
  fc.tuple(fc.constantFrom(validateQuote, declineQuote), fc.nat({ max: 5 })).map(([decide, at]): Step => {
    return {
      name: 'decideQuote',
      apply: (ticket, now) => decide(ticket, client, now, ticket.quotes[at]?._id ?? ''),
    };
  }),
);
