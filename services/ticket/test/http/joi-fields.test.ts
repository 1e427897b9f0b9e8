import { moment } from '../../http/joi-fields.ts';

const read = (value: unknown) => moment.validate(value, { convert: false });

test.each(['2026-02-31', '2026-02-29T10:00:00Z', '2026-04-31T10:00:00+02:00', '2026-13-01'])(
  'a day that is on no calendar is refused: %s',
  (value) => {
    expect(read(value).error).toBeDefined();
  },
);

test.each([
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-12-31T23:30:00-02:00', '2027-01-01T01:30:00.000Z'],
  ['2026-11-21T10:00:00', '2026-11-21T10:00:00.000Z'],
  ['2026-01-05 10:00:00+01', '2026-01-05T09:00:00.000Z'],
  [1_700_000_000_000, '2023-11-14T22:13:20.000Z'],
])('%s is %s', (value, iso) => {
  expect((read(value).value as Date).toISOString()).toBe(iso);
});
