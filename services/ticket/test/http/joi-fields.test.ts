import { moment } from '../../http/joi-fields.ts';

const read = (value: unknown) => moment.validate(value, { convert: false });

test.each<[unknown, string | undefined]>([
  ['2026-02-31', undefined],
  ['2026-12-31T23:30:00-02:00', '2027-01-01T01:30:00.000Z'],
  [1_700_000_000_000, '2023-11-14T22:13:20.000Z'],
])('%s is %s', (given, iso) => {
  const { error, value } = read(given);
  expect(error ? undefined : (value as unknown as Date).toISOString()).toBe(iso);
});
