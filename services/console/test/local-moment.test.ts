import { endOfDay, startOfDay } from '../src/routing/days.ts';
import { localInput, momentOf, movedAlong, tomorrowByDay } from '../src/routing/local-moment.ts';

const paris = 'Europe/Paris';

// In Paris the clock goes from 2:00 to 3:00 on 29 March, and from 3:00 back to 2:00 on 25 October.
test.each([
  ['2026-01-15T09:30:00.000Z', '2026-01-15T10:30'],
  ['2026-07-15T09:30:00.000Z', '2026-07-15T11:30'],
  ['2026-03-29T00:59:00.000Z', '2026-03-29T01:59'],
  ['2026-03-29T01:00:00.000Z', '2026-03-29T03:00'],
  ['2026-10-25T00:30:00.000Z', '2026-10-25T02:30'],
  ['2026-10-25T02:00:00.000Z', '2026-10-25T03:00'],
])('%s is %s in Paris, and back', (moment, input) => {
  expect(localInput(moment, paris)).toBe(input);
  expect(momentOf(input, paris)).toBe(moment);
});

test.each([
  ['Asia/Kolkata', '2026-07-15T15:00'],
  ['America/New_York', '2026-07-15T05:30'],
  ['Pacific/Kiritimati', '2026-07-15T23:30'],
  ['UTC', '2026-07-15T09:30'],
])('one moment is in %s %s, and back', (timeZone, input) => {
  const moment = '2026-07-15T09:30:00.000Z';
  expect(localInput(moment, timeZone)).toBe(input);
  expect(momentOf(input, timeZone)).toBe(moment);
});

test('of an hour that the clock shows twice, a field has the first', () => {
  expect(localInput('2026-10-25T01:30:00.000Z', paris)).toBe('2026-10-25T02:30');
  expect(momentOf('2026-10-25T02:30', paris)).toBe('2026-10-25T00:30:00.000Z');
});

test('an hour that the clock skips is the one after the change', () => {
  expect(momentOf('2026-03-29T02:30', paris)).toBe('2026-03-29T01:30:00.000Z');
  expect(localInput('2026-03-29T01:30:00.000Z', paris)).toBe('2026-03-29T03:30');
});

test('seconds are left out, and what is no moment is none', () => {
  expect(localInput('2026-11-24T10:05:31.000Z', 'UTC')).toBe('2026-11-24T10:05');
  expect(momentOf('', paris)).toBeNull();
  expect(momentOf('tomorrow', paris)).toBeNull();
});

test.each([
  ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.000Z'],
  ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.000Z'],
  ['2026-12-31', '2026-12-30T23:00:00.000Z', '2026-12-31T22:59:59.000Z'],
])('the day %s lasts in Paris from %s until %s', (day, first, last) => {
  expect(startOfDay(day, paris)).toBe(first);
  expect(endOfDay(day, paris)).toBe(last);
  expect(Date.parse(startOfDay(day, paris, 1)) - Date.parse(last)).toBe(1_000);
});

test.each([
  ['2026-11-24T09:30', '2026-11-24T12:00'],
  // While its year is typed, digit by digit.
  ['0002-11-24T08:00', '0002-11-24T10:30'],
  ['', '2026-11-24T10:30'],
])('when a start moves from 8:00 to %j, its end at 10:30 moves to %j', (to, moved) => {
  expect(movedAlong('2026-11-24T10:30', { from: '2026-11-24T08:00', to })).toBe(moved);
});

test.each([
  ['10:40', '2026-11-24T09:40:00Z', '2026-11-25T10:00'],
  ['3:10, at night', '2026-11-24T02:10:00Z', '2026-11-25T08:00'],
  ['23:30, at night', '2026-11-24T22:30:00Z', '2026-11-25T17:00'],
])('at %s work is proposed for the next day, by day', (_, now, proposed) => {
  expect(tomorrowByDay(new Date(now), paris)).toBe(proposed);
});
