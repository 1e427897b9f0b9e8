import { isCallable, type ProviderAccount } from '../connections/connection.ts';
import { abandonedFileKeys, fileKey, retryDecision } from '../jobs/job.ts';
import { payloadType } from '../jobs/payload-type.ts';
import { fetchedSince, nextPollAt, pollSince } from '../polls/poll-window.ts';

const at = (time: string) => new Date(`2026-11-21T${time}Z`);
const delays = [60_000, 300_000];

test.each([
  ['a first transient failure', 'transient', 0, null, { kind: 'retry', delayMs: 60_000 }],
  ['the second', 'transient', 1, null, { kind: 'retry', delayMs: 300_000 }],
  ['one more than there are delays', 'transient', 2, null, { kind: 'give up' }],
  ['one with a longer `retry-after`', 'transient', 0, 90_000, { kind: 'retry', delayMs: 90_000 }],
  ['one with a shorter `retry-after`', 'transient', 0, 1_000, { kind: 'retry', delayMs: 60_000 }],
  ['a final failure', 'final', 0, null, { kind: 'give up' }],
  ['a refused key or a rate limit, however often', 'paused', 99, 1_000, { kind: 'wait', delayMs: 0 }],
  ['an outage of our own, however often', 'outage', 99, null, { kind: 'wait', delayMs: 60_000 }],
] as const)('after %s', (_case, kind, before, retryAfterMs, fate) => {
  expect(retryDecision({ kind, reason: 'x', retryAfterMs }, before, delays)).toEqual(fate);
});

test('the keys of files follow from lease, job and part, and look like any other key', () => {
  const key = fileKey('lease', 'job', 'raw');
  expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const all = [key, fileKey('lease', 'job', 'document'), fileKey('lease', 'other', 'raw'), fileKey('x', 'job', 'raw')];
  expect(new Set(all).size).toBe(4);
  expect(abandonedFileKeys({ id: 'job', abandonedLeases: ['lease'] })).toEqual(all.slice(0, 2));
});

const active: ProviderAccount = {
  id: 'a',
  client: 'c',
  provider: 'sandbox',
  state: 'active',
  sealedApiKey: 'sealed',
  sealedWebhookSecret: null,
  credentialsVersion: 1,
  health: 'ok',
  credentialsRefused: false,
  pausedUntil: null,
  createdAt: at('08:00:00'),
  lastPolledAt: null,
  seenUntil: null,
};

test.each([
  ['an active connection', {}, true],
  ['one that is off', { state: 'inactive' }, false],
  ['a deleted one', { state: 'deleted' }, false],
  ['one without key', { sealedApiKey: null }, false],
  ['one that is paused', { pausedUntil: at('12:00:01') }, false],
  ['one whose pause is over', { pausedUntil: at('12:00:00') }, true],
] as const)('whether %s may be called', (_case, given, may) => {
  expect(isCallable({ ...active, ...given }, at('12:00:00'))).toBe(may);
});

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

test.each([
  ['%PDF-1.7', 'text/plain', 'application/pdf'],
  ['\uFEFF<?xml version="1.0"?>', 'text/plain', 'application/xml'],
  ['  {"id": 1}', undefined, 'application/json'],
  ['\x89PNG\r\n', 'image/gif', 'image/png'],
  ['anything', 'Text/CSV; charset=utf-8', 'text/csv'],
  ['', undefined, 'application/octet-stream'],
])('%j sent as %p is %s', (head, declared, type) => {
  const encoding = head.startsWith('\x89') ? 'latin1' : 'utf8';
  expect(payloadType(Buffer.from(head, encoding), declared)).toBe(type);
});
