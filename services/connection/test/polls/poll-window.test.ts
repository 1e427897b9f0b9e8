import { listedInvoices, nextPollAt, pollSince } from '../../polls/poll-window.ts';

const at = (time: string) => new Date(`2026-11-21T${time}Z`);
const dayBefore = (time: Date) => new Date(time.getTime() - 24 * 3_600_000);

test.each([
  ['never polled: since a day before it was created', null, null, dayBefore(at('10:00:00'))],
  ['no change was reported: since a day before the last poll', '11:00:00', null, dayBefore(at('11:00:00'))],
  ['the last change, with five minutes of overlap', '11:00:00', '10:50:00', at('10:45:00')],
  ['the same on a clock that is behind ours', '11:00:00', '09:50:00', at('09:45:00')],
  ['our clock was ahead: what it said does not count', '23:00:00', '10:50:00', at('10:45:00')],
  ['the last change is said to lie ahead: from now', '11:00:00', '23:00:00', at('11:55:00')],
] as const)('`since` follows the clock of the provider: %s', (_case, lastPolledAt, seenUntil, since) => {
  const polled = { lastPolledAt: lastPolledAt && at(lastPolledAt), seenUntil: seenUntil && at(seenUntil) };
  expect(pollSince({ createdAt: at('10:00:00'), ...polled }, at('12:00:00'))).toEqual(since);
});

test('a connection without changes asks for the last day; one created by a clock that was ahead, from a day before now', () => {
  const createdAt = new Date('2026-10-01T00:00:00Z');
  const quiet = { createdAt, lastPolledAt: at('11:00:00'), seenUntil: new Date('2026-10-02T00:00:00Z') };
  expect(pollSince(quiet, at('12:00:00'))).toEqual(new Date('2026-11-20T11:00:00Z'));
  const early = { createdAt: at('23:00:00'), lastPolledAt: null, seenUntil: null };
  expect(pollSince(early, at('12:00:00'))).toEqual(dayBefore(at('12:00:00')));
});

test.each([
  ['10:29:59.001', '10:29:59', true],
  ['10:29:59.999', '10:29:59', true],
  ['10:30:00.001', '10:29:59', false],
  ['10:29:59', '10:30:00', true],
  ['10:29:59', '10:29:59', false],
  ['10:29:00', '10:30:00', true],
  ['10:29:00', '10:29:59', false],
])('a change of %s that is listed at %s: no other one can have its time any more: %j', (time, answered, isKnown) => {
  const changes = [{ externalId: 'a', deleted: false, changedAt: at(time) }];
  expect(listedInvoices({ changes, answeredAt: at(answered) })[0]?.changedAt).toEqual(isKnown ? at(time) : null);
});

test('an invoice that is listed twice counts once, by its last change; without a clock or a time nothing is known', () => {
  const change = (externalId: string, changedAt: Date | null) => ({ externalId, deleted: false, changedAt });
  const changes = [change('untold', null), change('twice', at('10:10:00')), change('twice', at('10:20:00'))];
  const timesOf = (answeredAt: Date | null) =>
    listedInvoices({ changes, answeredAt }).map(({ externalId, changedAt }) => [externalId, changedAt]);
  expect(timesOf(at('10:30:00'))).toEqual([
    ['untold', null],
    ['twice', at('10:20:00')],
  ]);
  expect(timesOf(null).map(([, changedAt]) => changedAt)).toEqual([null, null]);
});

test('polls are an interval apart, ±10 %', () => {
  const next = (chance: number) => nextPollAt(at('10:00:00'), 300_000, chance).getTime() - at('10:00:00').getTime();
  expect([next(0), next(0.5), next(1)]).toEqual([270_000, 300_000, 330_000]);
});
