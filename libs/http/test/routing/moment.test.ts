import { moment } from '../../routing/moment.ts';
import { bodyOptions, queryOptions } from '../../routing/validate.ts';

const refusal = 'must be an ISO date or a timestamp in milliseconds';

test.each<[unknown, string]>([
  ['2026-02-31', refusal],
  ['2026-12-31T23:30:00-02:00', '2027-01-01T01:30:00.000Z'],
  ['2026-12-31T23:30', '2026-12-31T23:30:00.000Z'],
  [1_700_000_000_000, '2023-11-14T22:13:20.000Z'],
  ['1700000000000', '2023-11-14T22:13:20.000Z'],
  ['0', '1970-01-01T00:00:00.000Z'],
  // Seconds, and a day: both would be in 1970.
  [1_700_000_000, refusal],
  ['1700000000', refusal],
  ['20261231', refusal],
  ['-1', refusal],
  ['tomorrow', refusal],
])('%j is %s, in a body and in a query', (given, expected) => {
  const read = ({ error, value }: ReturnType<typeof moment.validate>) =>
    error ? error.message.replace(/^\S+ /, '') : (value as unknown as Date).toISOString();
  expect(read(moment.validate(given, bodyOptions))).toBe(expected);
  if (typeof given === 'string') expect(read(moment.validate(given, queryOptions))).toBe(expected);
});
