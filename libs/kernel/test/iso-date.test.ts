import { readIsoDate } from '../iso-date.ts';

test.each([
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20T10:00', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20 10:00', '2026-11-20T10:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-11-20T10:00-05', '2026-11-20T15:00:00.000Z'],
  ['2026-01-05 10:00:00+01', '2026-01-05T09:00:00.000Z'],
  ['2026-01-05T10:00:00.250+01', '2026-01-05T09:00:00.250Z'],
])('%s is %s, in whatever zone the machine is', (text, expected) => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Asia/Tokyo';
  try {
    expect(readIsoDate(text)?.toISOString()).toBe(expected);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test.each([
  '2026-02-31',
  '2026-02-29T10:00:00Z',
  '2026-02-29T10:00+01',
  '+002026-02-31',
  '+002024-02-29',
  '2026-13-01',
  'soon',
  '',
])('%j is no date', (text) => {
  expect(readIsoDate(text)).toBeNull();
});
