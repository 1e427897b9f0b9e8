import { AppError, ValidationError } from '@app/kernel';
import fc from 'fast-check';
import { aTicket } from '../../services/ticket/test/tickets/fixtures.ts';
import { statusMachine } from '../../services/ticket/tickets/lifecycle/status-machine.ts';
import { type Decision, statuses, statusOf, type Ticket, viewOfCompany } from '../../services/ticket/tickets/ticket.ts';
import { checkProperty } from './check-property.ts';
import { hour, move, type Step, start } from './ticket-steps.ts';

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
