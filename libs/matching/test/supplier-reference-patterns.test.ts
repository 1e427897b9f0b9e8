import { decide } from '../decide.ts';
import { observedPatterns, type ReferencePattern } from '../references/supplier-reference-patterns.ts';
import { candidate, invoice, known, order, ticket } from './sample.ts';

const mine = candidate(ticket('1', { number: '2026-004521' }), { purchases: [order('BC-2026-0042', 1000)] });
const other = candidate(ticket('2', { number: '2026-004522' }));
const inOrder = (prefix: string, kind: ReferencePattern['kind']): ReferencePattern => ({
  field: 'order',
  prefix,
  kind,
});

test.each([
  ['letters and the last digits of a number', 'JOB 4521', [inOrder('JOB', 'number'), inOrder('', 'number')]],
  ['written together, with zeros before', 'JOB004521', [inOrder('JOB', 'number')]],
  ['the last digits of an order', 'AFF-042', [inOrder('AFF', 'order')]],
  ['what agrees in full needs no learning', 'BC 2026 42', []],
  ['digits of something else', 'JOB 4523', []],
  ['two digits are too few', 'JOB 42', []],
  ['more than letters and digits', '4521-B', []],
])('patterns that a link shows: %s', (_what, poRef, expected) => {
  expect(observedPatterns(invoice(poRef), mine)).toEqual(expected);
});

const free = (label: string) => invoice(null, { lines: [{ label, qty: 1, unitPrice: 1, amount: 1 } as never] });

test('in prose a pattern needs letters: a bare number may be anything', () => {
  expect(observedPatterns(free('14521'), candidate(ticket('1', { number: '2026-014521' })))).toEqual([]);
  expect(observedPatterns(free('Dossier JOB4521'), mine)).toEqual([{ field: 'free', prefix: 'JOB', kind: 'number' }]);
});

const scoreOf = (patterns: ReferencePattern[], poRef = 'JOB 4521', candidates = [mine, other]) =>
  decide({ invoice: invoice(poRef), supplier: known, candidates, patterns });

test('a learned pattern is worth 30 points, with a reason, and decides nothing alone', () => {
  const [without, withPattern] = [scoreOf([]), scoreOf([inOrder('JOB', 'number')], 'JOB 4522')];
  expect(without.suggestions[0]?.reasons.join()).not.toContain('as this supplier writes it');
  const [first] = withPattern.suggestions.filter(({ number }) => number === other.ticket.number);
  expect(first?.reasons[0]).toBe('ticket number 2026-004522, as this supplier writes it: “JOB 4522”');
  expect(withPattern.decision).toBe('queue');

  // 30 for the pattern; the others are for the contractor, the interval and the status.
  expect(first?.score).toBe(30 + 15 + 6 + 4);
});

test('an exact reference is preferred to a pattern', () => {
  const { decision, suggestions } = scoreOf([inOrder('', 'number')], 'BC-2026-0042');
  expect(decision).toBe('auto');
  expect(suggestions[0]?.reasons[0]).toBe('order BC-2026-0042 agrees');
});
