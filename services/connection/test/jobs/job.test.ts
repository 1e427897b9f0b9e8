import { abandonedFileKeys, fileKey, retryDecision } from '../../jobs/job.ts';

const delays = [60_000, 300_000];
const now = new Date('2026-11-20T10:00:00Z');

test.each([
  ['a first transient failure', 'transient', 0, null, { kind: 'retry', delayMs: 60_000 }],
  ['the second', 'transient', 1, null, { kind: 'retry', delayMs: 300_000 }],
  ['one more than there are delays', 'transient', 2, null, { kind: 'give up' }],
  ['one with a longer `retry-after`', 'transient', 0, 90_000, { kind: 'retry', delayMs: 90_000 }],
  ['one with a shorter `retry-after`', 'transient', 0, 1_000, { kind: 'retry', delayMs: 60_000 }],
  ['a final failure', 'final', 0, null, { kind: 'give up' }],
  ['a refused key or a rate limit, however often', 'paused', 99, 1_000, { kind: 'wait', delayMs: 0 }],
  ['the wait for another job, however often', 'blocked', 99, null, { kind: 'wait', delayMs: 60_000 }],
  ['an outage of our own, however often', 'outage', 99, null, { kind: 'wait', delayMs: 60_000 }],
] as const)('after %s', (_case, kind, before, retryAfterMs, decision) => {
  expect(retryDecision({ kind, reason: 'x', retryAfterMs }, before, delays, now)).toEqual(decision);
});

test.each([
  ['at once', 0, 5_000],
  ['after a minute', 60_000, 60_000],
  ['after a day', 24 * 3_600_000, 15 * 60_000],
])(
  'a message that waits for its acknowledgement is asked for %s in turn, and nothing has failed',
  (_age, ms, delayMs) => {
    const sent = { reference: 'x', at: new Date(now.getTime() - ms) };
    const failure = { kind: 'unacknowledged', reason: 'x', retryAfterMs: null, sent } as const;
    expect(retryDecision(failure, 99, delays, now)).toEqual({ kind: 'wait', delayMs });
  },
);

test('the keys of files follow from lease, job and part, and look like any other key', () => {
  const key = fileKey('lease', 'job', 'raw');
  expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const all = [key, fileKey('lease', 'job', 'document'), fileKey('lease', 'other', 'raw'), fileKey('x', 'job', 'raw')];
  expect(new Set(all).size).toBe(4);
  expect(abandonedFileKeys({ id: 'job', abandonedLeases: ['lease'] })).toEqual(all.slice(0, 2));
});
