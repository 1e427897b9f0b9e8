import type { Invoice, State } from '../../invoices/invoice.ts';
import { observeChange } from '../../invoices/invoice-observer.ts';

const at = new Date('2026-11-21T10:00:00Z');
const daysBefore = (days: number) => new Date(at.getTime() - days * 24 * 3_600_000);
const invoice = (given: Partial<Invoice>) =>
  ({
    state: 'linked',
    ticket_id: null,
    matched_by: null,
    line_added_at: null,
    updated_at: at,
    content: { fetched_at: new Date(at.getTime() - 5_000) },
    ...given,
  }) as Invoice;
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
] as const)('matches: %s', (_what, before, after, expected) => {
  expect(observed(before, after).filter((one) => one === 'matched' || one === 'undone')).toEqual(expected);
});

const inState = (state: State, given: Partial<Invoice> = {}) => invoice({ state, ...given });
const fetchedAgain = { content: { fetched_at: new Date(at.getTime() - 2_000) } } as Partial<Invoice>;

test.each([
  ['a new one that is linked at once', null, inState('linked'), ['linked', 'linked after 5000 ms']],
  ['a new one that waits', null, inState('ticket_unmatched'), ['ticket_unmatched', 'ticket_unmatched after 5000 ms']],
  ['a new one whose processing goes on', null, inState('normalized'), ['normalized']],
  ['one that the worker continues', inState('normalized'), inState('linked'), ['linked', 'linked after 5000 ms']],
  ['a new one that fails, to be tried again', null, inState('error'), ['error']],
  ['one that is tried again', inState('error'), inState('done'), ['done', 'done after 5000 ms']],
  ['one whose feedback fails and is tried again', inState('error', { ticket_id: 'a' }), inState('done'), ['done']],
  ['one that a person links', inState('ticket_unmatched'), inState('linked'), ['linked']],
  ['one that stays where it is', inState('linked'), inState('linked'), []],
  [
    'one that is fetched again and waits again',
    inState('ticket_unmatched'),
    inState('ticket_unmatched', fetchedAgain),
    ['ticket_unmatched after 2000 ms'],
  ],
] as const)('processing: %s', (_what, before, after, expected) => {
  expect(observed(before, after)).toEqual(expected);
});

function observed(before: Invoice | null, after: Invoice): string[] {
  const calls: string[] = [];
  const observer = {
    moved: (state: State) => calls.push(state),
    processed: (state: State, ms: number) => calls.push(`${state} after ${ms} ms`),
    matched: () => calls.push('matched'),
    undone: () => calls.push('undone'),
  };
  observeChange(observer, before, after);
  return calls;
}
