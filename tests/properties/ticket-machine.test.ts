import { AppError, ValidationError } from '@app/kernel';
import fc from 'fast-check';
import { addDate } from '../../services/ticket/dates/dates.ts';
import * as moves from '../../services/ticket/moves/moves.ts';
import { addQuote, declineQuote, validateQuote } from '../../services/ticket/quotes/quotes.ts';
import { aContractor, aDate, aTicket, client } from '../../services/ticket/test/tickets/fixtures.ts';
import { statusMachine } from '../../services/ticket/tickets/lifecycle/status-machine.ts';
import {
  type Actor,
  type Decision,
  statuses,
  statusOf,
  type Ticket,
  viewOfCompany,
} from '../../services/ticket/tickets/ticket.ts';
import { checkProperty } from './check-property.ts';

const contractors = [aContractor(), aContractor(), aContractor()];
const start = new Date('2026-11-21T10:00:00.000Z').getTime();
const hour = 3_600_000;

/** `by`: who does it; the timer, if nobody. */
type Step = { name: string; by?: Actor; apply: (ticket: Ticket, now: Date) => Decision };

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

const move: fc.Arbitrary<Step> = fc.oneof(
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

/** Applies the steps one after the other, as the store does; those that are refused change nothing. */
function walk(steps: Step[], check: (before: Ticket, decision: Decision, step: Step, now: Date) => void): void {
  let ticket = aTicket();
  for (const [index, step] of steps.entries()) {
    // To any other company the ticket does not exist: routes answer 404.
    if (step.by && step.by.party !== 'timer' && !viewOfCompany(ticket, step.by.companyId)) continue;
    const now = new Date(start + (index + 1) * hour);
    const frozen = structuredClone(ticket);
    try {
      const decision = step.apply(ticket, now);
      check(frozen, decision, step, now);
      expect(ticket).toEqual(frozen);
      ticket = decision.ticket;
    } catch (error) {
      if (!(error instanceof AppError || error instanceof ValidationError)) throw error;
      expect(ticket).toEqual(frozen);
    }
  }
}

const steps = fc.array(move, { maxLength: 40 });

test('whatever is done, a ticket has one client, at most one contractor, and statuses of the table; removed, it stays so', () => {
  checkProperty(
    fc.property(steps, (all) =>
      walk(all, (before, { ticket }) => {
        expect(ticket.views.filter(({ state }) => state === 'client')).toHaveLength(1);
        expect(ticket.views.filter(({ state }) => state === 'active').length).toBeLessThanOrEqual(1);
        for (const { status } of ticket.views) expect([...statuses, 'removed']).toContain(status);
        const active = ticket.views.find(({ state }) => state === 'active');
        if (active) expect(active.status).toBe(statusOf(ticket));
        const ids = ticket.views.map(({ contractor_id }) => contractor_id);
        expect(new Set(ids).size).toBe(ids.length);
        if (statusOf(before) === 'removed') expect(ticket).toEqual(before);
      }),
    ),
  );
});

test('each company gets one event for each change of its status; a decision that changes nothing has no events, any other the time of the change', () => {
  checkProperty(
    fc.property(steps, (all) =>
      walk(all, (before, { ticket, events }, { name }, now) => {
        if (ticket.updated_at.getTime() === before.updated_at.getTime()) expect([ticket, events]).toEqual([before, []]);
        else expect(ticket.updated_at).toEqual(now);
        if (name === 'remove') return;
        const told = events
          .filter(({ type }) => type === 'ticket.status_changed.v1')
          .flatMap(({ data }) => (data as { audience: string[] }).audience);
        const changed = ticket.views
          .filter(({ _id, status }) => before.views.find((view) => view._id === _id)?.status !== status)
          .map(({ company_id }) => company_id);
        expect(told.sort()).toEqual(changed.sort());
      }),
    ),
  );
});

test('every operation of the table is for somebody', () => {
  for (const one of Object.values(statusMachine)) expect(Object.keys(one).length).toBeGreaterThan(1);
});
