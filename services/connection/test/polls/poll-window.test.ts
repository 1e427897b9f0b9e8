import { fetchedSince, nextPollAt, pollSince } from '../../polls/poll-window.ts';

const at = (time: string) => new Date(`2026-11-21T${time}Z`);

test.each([
  ['never polled: since it was created', null, null, '10:00:00'],
  ['no change was reported since it was created', '11:00:00', null, '10:00:00'],
  ['a change was reported a moment after: not before it was created', '10:05:00', '10:02:00', '10:00:00'],
  ['the last change, with five minutes of overlap', '11:00:00', '10:50:00', '10:45:00'],
  ['our clock was ahead: what it said does not count', '23:00:00', '10:50:00', '10:45:00'],
  ['the last change is said to lie ahead: from now', '11:00:00', '23:00:00', '11:55:00'],
] as const)('`since` follows the clock of the provider: %s', (_case, lastPolledAt, seenUntil, since) => {
  const polled = { lastPolledAt: lastPolledAt && at(lastPolledAt), seenUntil: seenUntil && at(seenUntil) };
  expect(pollSince({ createdAt: at('10:00:00'), ...polled }, at('12:00:00'))).toEqual(at(since));
});

test('a connection without changes asks for the last day; one created by a clock that was ahead, from now', () => {
  const createdAt = new Date('2026-10-01T00:00:00Z');
  const quiet = { createdAt, lastPolledAt: at('11:00:00'), seenUntil: new Date('2026-10-02T00:00:00Z') };
  expect(pollSince(quiet, at('12:00:00'))).toEqual(new Date('2026-11-20T11:00:00Z'));
  const early = { createdAt: at('23:00:00'), lastPolledAt: null, seenUntil: null };
  expect(pollSince(early, at('12:00:00'))).toEqual(at('12:00:00'));
});

test('a fetch counts as up to date only well after the last change of a page', () => {
  expect(fetchedSince({ watermark: at('10:30:00') })).toEqual(at('10:31:00'));
  expect(fetchedSince({ watermark: null })).toBeNull();
});

test('polls are an interval apart, ±10 %', () => {
  const next = (chance: number) => nextPollAt(at('10:00:00'), 300_000, chance).getTime() - at('10:00:00').getTime();
  expect([next(0), next(0.5), next(1)]).toEqual([270_000, 300_000, 330_000]);
});
