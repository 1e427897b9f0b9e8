import type { Invoice } from '../invoices/invoice.ts';
import { observeMatch } from '../invoices/match-observer.ts';

const at = new Date('2026-11-21T10:00:00Z');
const daysBefore = (days: number) => new Date(at.getTime() - days * 24 * 3_600_000);
const invoice = (given: Partial<Invoice>) =>
  ({ ticket_id: null, matched_by: null, line_added_at: null, updated_at: at, ...given }) as Invoice;
const byMachine = (ticket_id: string, days = 1) =>
  invoice({ ticket_id, matched_by: 'machine', line_added_at: daysBefore(days) });
const byOperator = (ticket_id: string) => invoice({ ticket_id, matched_by: 'operator', line_added_at: daysBefore(1) });
const queued = invoice({});

test.each([
  ['a new one that is matched at once', null, byMachine('a'), ['matched']],
  ['a new one that waits', null, queued, []],
  ['one of the queue that is matched', queued, byMachine('a'), ['matched']],
  ['one of the queue that a person links', queued, byOperator('a'), []],
  ['a matched one that goes on', byMachine('a'), byMachine('a'), []],
  ['a matched one that a person takes away', byMachine('a'), queued, ['undone']],
  ['a matched one that a person puts elsewhere', byMachine('a'), byOperator('b'), ['undone']],
  ['one that a person confirms where it is', byMachine('a'), byOperator('a'), []],
  ['one that is undone after 30 days', byMachine('a', 30), queued, ['undone']],
  ['one that is undone later than that', byMachine('a', 31), queued, []],
  ['one that a person had linked', byOperator('a'), queued, []],
] as const)('%s', (_what, before, after, expected) => {
  const observed: string[] = [];
  observeMatch({ matched: () => observed.push('matched'), undone: () => observed.push('undone') }, before, after);
  expect(observed).toEqual(expected);
});
