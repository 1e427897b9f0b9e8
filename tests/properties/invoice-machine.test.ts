import { AppError } from '@app/kernel';
import fc from 'fast-check';
import { type Invoice, states } from '../../services/invoice-reconciliation/invoices/invoice.ts';
import { mayMove, move, type Trigger, table } from '../../services/invoice-reconciliation/invoices/state-machine.ts';
import { anInvoice, at } from '../../services/invoice-reconciliation/test/invoices.ts';
import { checkProperty } from './check-property.ts';

const triggers = [...new Set(table.map(({ trigger }) => trigger))].filter((trigger) => trigger !== 'ingest');
const step = fc.record({
  trigger: fc.constantFrom<Trigger[]>(...triggers),
  ticket: fc.constantFrom(null, 'a'.repeat(24)),
  minutes: fc.nat({ max: 1_000 }),
});

/** Each is more than a hundred moves. */
const longRuns = 40;

/** The triggers one after the other; those that the table refuses change nothing. */
function walk(
  steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
  check: (before: Invoice, after: Invoice, events: unknown[]) => void,
) {
  let invoice = anInvoice();
  for (const { trigger, ticket, minutes } of steps) {
    const before = structuredClone(invoice);
    const isAllowed = mayMove(invoice, trigger);
    try {
      const failure = { step: 'ticket', code: 'x', attempts: 1, from: invoice.state } as const;
      const set = { ticket_id: ticket, ...(trigger === 'fail' ? { failure } : {}) };
      const decision = move(invoice, { trigger, at: new Date(at.getTime() + minutes * 60_000), set });
      expect(isAllowed).toBe(true);
      check(before, decision.invoice, decision.events);
      expect(invoice).toEqual(before);
      invoice = decision.invoice;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      expect([isAllowed, error.code]).toEqual([false, 'invoice_state_forbidden']);
      expect(invoice).toEqual(before);
    }
  }
}

test('any order of triggers leads from state to state of the table, or is refused without a change', () => {
  checkProperty(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) =>
      walk(steps, (before, after) => {
        expect(states).toContain(after.state);
        expect(after.version).toBe(before.version + 1);
      }),
    ),
  );
});

test('each move is one event of the same version, and the last of a history of at most a hundred', () => {
  checkProperty(
    fc.property(fc.array(step, { minLength: 100, maxLength: 120 }), (steps) =>
      walk(steps, (before, after, events) => {
        const moved = { from: before.state, to: after.state };
        expect(events).toMatchObject([{ data: { ...moved, version: after.version } }]);
        expect(after.history.at(-1)).toMatchObject(moved);
        expect(after.history.length).toBeLessThanOrEqual(100);
      }),
    ),
    longRuns,
  );
});
