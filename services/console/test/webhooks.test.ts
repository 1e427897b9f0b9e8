import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attemptWords, lastErrorWords } from '../src/pages/webhooks/deliveries/attempt-words.ts';
import { curlOf } from '../src/pages/webhooks/deliveries/curl.ts';
import { pollIntervalMs } from '../src/pages/webhooks/deliveries/poll-interval.ts';
import { badHeaderLine, headersOf } from '../src/pages/webhooks/endpoints/custom-headers.ts';
import { isFailing, nothingArrives } from '../src/pages/webhooks/endpoints/health/nothing-arrives.ts';
import { en } from '../src/pages/webhooks/texts.en.ts';
import { fr } from '../src/pages/webhooks/texts.fr.ts';
import { verifySignature } from '../src/pages/webhooks/verify/verify-signature.ts';

const secret = 'whsec_of-a-test';
const body = '{"event":"ticket.quote_added","title":"Fuite à l’étage"}';
const now = new Date('2026-11-24T10:00:00Z');
const signed = (secondsAgo = 0) => {
  const t = now.getTime() / 1000 - secondsAgo;
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
};
const other = `v1=${'0'.repeat(64)}`;

test.each([
  ['as it was signed', signed(), body, secret, { kind: 'valid' }],
  ['copied with its name', `X-Service-Signature: ${signed()}`, body, secret, { kind: 'valid' }],
  ['one of several signatures', signed().replace(',v1', `,${other},v1`), body, secret, { kind: 'valid' }],
  ['at the end of the tolerance', signed(300), body, secret, { kind: 'valid' }],
  ['behind it', signed(301), body, secret, { kind: 'tooOld', ageS: 301 }],
  ['of the future', signed(-301), body, secret, { kind: 'tooOld', ageS: -301 }],
  ['another body', signed(), `${body} `, secret, { kind: 'otherSecret' }],
  ['another secret', signed(), body, `${secret}x`, { kind: 'otherSecret' }],
  ['of another secret, and old', signed(9_000), body, `${secret}x`, { kind: 'otherSecret' }],
  ['cut short', signed().slice(0, -1), body, secret, { kind: 'malformed' }],
  ['without a time', signed().replace(/^t=\d+,/, ''), body, secret, { kind: 'malformed' }],
  ['nothing', '', body, secret, { kind: 'malformed' }],
])('a signature, %s', async (_, header, given, by, verdict) => {
  expect(await verifySignature({ header, body: given, secret: by, now })).toEqual(verdict);
});

test('headers are entered one a line', () => {
  expect(headersOf('X-Key: a:b\n\n  Authorization:  Basic xyz  \n')).toEqual([
    { name: 'X-Key', value: 'a:b' },
    { name: 'Authorization', value: 'Basic xyz' },
  ]);
});

test.each([
  ['X-Key: 1', null],
  ['X-Key: 1\nnonsense', 'nonsense'],
  ['X-Key:', 'X-Key:'],
  ['X Key: 1', 'X Key: 1'],
  ['', null],
])('of the headers %j the first bad line is %j', (text, bad) => {
  expect(badHeaderLine(text)).toBe(bad);
});

test('a quote in a body does not end the argument of curl', () => {
  const headers = { 'X-Service-Event': 'ticket.message_added', 'Content-Length': '9' };
  const command = curlOf({ url: "https://a.example/'", headers, body: "it's; rm -rf /" });
  expect(command).toBe(
    [
      `curl 'https://a.example/'\\'''`,
      `  -H 'X-Service-Event: ticket.message_added'`,
      `  --data-binary 'it'\\''s; rm -rf /'`,
    ].join(' \\\n'),
  );
});

test.each([
  [{ error: null, statusCode: 204 }, 'Succeeded (204)'],
  [{ error: 'status_not_2xx', statusCode: 500 }, 'Answered 500'],
  [{ error: 'timeout', statusCode: null }, 'No whole answer within the time'],
  [{ error: 'something_new', statusCode: null }, 'something_new'],
])('the attempt %j is told as %j', (attempt, words) => {
  expect(attemptWords(attempt, en)).toBe(words);
});

test.each([
  [{ status: 'succeeded', nextAttemptAt: null }, 0, 30],
  [{ status: 'pending', nextAttemptAt: null }, 9, 1],
  [{ status: 'pending', nextAttemptAt: null }, 10, 5],
  // For a browser whose clock is behind.
  [{ status: 'pending', nextAttemptAt: null }, -60, 5],
  // Sent again after an hour.
  [{ status: 'pending', nextAttemptAt: '2026-11-24T11:00:00.000Z' }, 3_609, 1],
  [{ status: 'pending', nextAttemptAt: '2026-11-24T11:00:00.000Z' }, 3_610, 5],
])('the delivery %j is, %d s after it was created, read again in %d s', (delivery, age, seconds) => {
  const createdAt = now.toISOString();
  expect(pollIntervalMs({ ...delivery, createdAt }, now.getTime() + age * 1_000)).toBe(seconds * 1_000);
});

test.each([
  ['the receiver answered with a status that is no success (status 503)', 'Answered 503', 'Réponse 503'],
  ['the answer did not come whole in time', en.timedOut, fr.timedOut],
  ['a sentence of a later release', null, null],
])('“%s” is said of an endpoint in the user’s language', (said, inEnglish, inFrench) => {
  expect([lastErrorWords(said, en), lastErrorWords(said, fr)]).toEqual([inEnglish, inFrench]);
});

test('every reason why an endpoint fails has its words', () => {
  const source = readFileSync(join(import.meta.dirname, '../../webhook-dispatcher/attempt.ts'), 'utf8');
  const [, table = ''] = /const descriptions[^{]*\{([^}]*)\}/.exec(source) ?? [];
  const sentences = [...table.matchAll(/: '(.*)',$/gm)].map(([, sentence]) => sentence as string);
  expect(sentences.length).toBeGreaterThan(5);
  expect(sentences.filter((sentence) => lastErrorWords(sentence, fr) === null)).toEqual([]);
});

const none = { succeeded: 0, failed: 0, exhausted: 0 };

test.each([
  ['nothing was sent', [none], false],
  ['all of the last hour failed', [{ ...none, succeeded: 9 }, { ...none, failed: 2 }, none], true],
  ['all of it was given up', [{ ...none, exhausted: 1 }], true],
  [
    'some of it arrived',
    [
      { ...none, failed: 9 },
      { succeeded: 1, failed: 3, exhausted: 0 },
    ],
    false,
  ],
])('an endpoint at which nothing arrives: %s', (_, hours, expected) => {
  expect(nothingArrives(hours)).toBe(expected);
});

const down = [{ ...none, failed: 2 }];

test.each([
  ['healthy', true, 'ok', [none], false],
  ['not called failing yet', true, 'ok', down, true],
  ['called failing', true, 'failing', [none], true],
  ['paused, and what failed is known', false, 'failing', down, false],
  ['disabled by the platform', false, 'disabled', [none], true],
])('an endpoint that fails: %s', (_, active, health, hours, expected) => {
  expect(isFailing({ active, health }, hours)).toBe(expected);
});
