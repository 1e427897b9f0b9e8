import { ValidationError } from '@app/kernel';
import { addEntries, type Entry, keyOf, medianOf, type Sums, toCents } from '../../statistics/entry.ts';
import { type Asked, ageClasses, groupingOf, itemsOf } from '../../statistics/question.ts';

const today = '2026-11-27';
const asked: Asked = { dimensions: ['place'], days: 'this year and last' };

test.each([
  ['1.005', 101],
  ['0.1', 10],
  ['1000000000', 100_000_000_000],
  ['19.994999', 1999],
  [-1.005, -101],
  [0, 0],
])('%s is %i cents', (amount, cents) => {
  expect(toCents(amount)).toBe(cents);
});

test.each<[Asked['days'], string, string]>([
  ['this year and last', '2025-01-01', '2027-01-01'],
  ['three months', '2026-09-01', '2026-12-01'],
  ['next week', '2026-11-27', '2026-12-04'],
])('by default %s is from %s to %s', (days, from, to) => {
  expect(groupingOf({}, { dimensions: [], days }, today)).toMatchObject({ from, to });
});

test.each<[string, object, string]>([
  ['a range that begins within a month', { from: '2026-01-02' }, 'from'],
  ['a range that ends within a month', { to: '2026-01-02' }, 'to'],
  ['weeks of a place', { group_by: ['place', 'week'] }, 'group_by'],
  ['more than three years', { from: '2020-01-01' }, 'to'],
])('%s is refused for what is kept by month', (_, question, path) => {
  const refused = () => groupingOf({ group_by: ['place'], ...question }, asked, today);
  expect(refused).toThrow(ValidationError);
  expect(refused).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ path })] }));
});

const row = (period: string, group: string, n: number) => {
  const of = { company: 'c', place: '', figure: 'f', dimension: 'place', period, group, also: [], split: ['EUR'] };
  return { ...of, n, ht: n * 100, ttc: 0, minutes: new Map() };
};

test('weeks begin on Monday, months with their first day, and the same group is summed up', () => {
  const rows = [row('2026-11-22', 'a', 1), row('2026-11-23', 'a', 2), row('2026-11-29', 'b', 4)];
  const by = (group_by: string[], dimensions: string[]) =>
    itemsOf(rows, groupingOf({ group_by }, { dimensions, kept: 'daily', days: 'all' }, today), today).map(
      ({ period, group, sums }) => [period, group, sums.n],
    );
  expect(by(['week'], [])).toEqual([
    ['2026-11-16', '', 1],
    ['2026-11-23', '', 6],
  ]);
  expect(by(['month', 'place'], ['place'])).toEqual([
    ['2026-11-01', 'a', 3],
    ['2026-11-01', 'b', 4],
  ]);
});

test.each([
  ['2026-11-27', '0-2'],
  ['2026-11-24', '3-7'],
  ['2026-10-28', '8-30'],
  ['2026-10-27', '31-90'],
  ['2020-01-01', '91-'],
])('what is of %s has the age %s', (day, age) => {
  expect(ageClasses.of(day, today)).toBe(age);
});

test('an entry counts once under each of its groups, and under none if it has none', () => {
  const rows = new Map<string, Sums>();
  const common = { company: 'c', figure: 'f', day: '2026-11-27', split: ['a|b'] };
  const entry: Entry = { ...common, groups: { place: ['p', 'p', 'q'], domain: [] }, ht: 5 };
  addEntries(rows, [entry], 1);
  const key = (dimension: string, period: string, group: string) =>
    keyOf({ ...common, place: '', dimension, period, group, also: [], split: ['a/b'] });
  expect([...rows.keys()].sort()).toEqual(
    [
      key('', '2026-11-27', ''),
      key('place', '2026-11', 'p'),
      key('place', '2026-11', 'q'),
      key('domain', '2026-11', ''),
    ].sort(),
  );
});

test('a median is the lower one of two, by how many lasted so long', () => {
  const of = (...lengths: [number, number][]) => medianOf({ minutes: new Map(lengths) });
  expect(of()).toBeNull();
  expect(of([9, 1], [1, 1])).toBe(1);
  expect(of([1, 1], [5, 2], [90, 1], [100, 0])).toBe(5);
});
