import { createHmac } from 'node:crypto';
import {
  createReplayMemory,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from '@facility-platform/webhook-verifier';

const secret = 'whsec_Zm9yLXRlc3RzLW9ubHktMzItYnl0ZXMtbG9uZy1rZXk';
const at = 1_763_650_000;
const body = '{"event":"ticket.status_changed","created_at":"2026-11-20T14:31:09.377Z","data":{"name":"été"}}';
const now = () => at * 1000;
const sign = (content: string | Buffer, { key = secret, t = String(at) } = {}) =>
  createHmac('sha256', key).update(`${t}.`).update(content).digest('hex');
const header = (value = `t=${at},v1=${sign(body)}`): WebhookHeaders => ({ 'x-service-signature': value });

function refusal(verify: () => WebhookEvent): { code: string; message: string } | null {
  try {
    verify();
    return null;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { code: error.code, message: error.message };
  }
}

test.each<[string, string | Uint8Array, WebhookHeaders]>([
  ['text', body, header()],
  ['a buffer', Buffer.from(body), header()],
  ['bytes', new TextEncoder().encode(body), header()],
  ['headers of fetch', body, new Headers({ 'X-Service-Signature': `t=${at},v1=${sign(body)}` })],
  ['header names as they were sent', body, { 'X-Service-Signature': `t=${at},v1=${sign(body)}` }],
  ['a header given as a list', body, { 'x-service-signature': [`t=${at}`, `v1=${sign(body)}`] }],
  ['blanks after commas', body, header(`t=${at}, v1=${sign(body)}`)],
  ['digits in upper case', body, header(`t=${at},v1=${sign(body).toUpperCase()}`)],
  ['a scheme of tomorrow beside ours', body, header(`t=${at},v1=${sign(body)},v2=abc`)],
  ['the first of two signatures', body, header(`t=${at},v1=${sign(body)},v1=${'0'.repeat(64)}`)],
  ['the last of two signatures', body, header(`t=${at},v1=${'0'.repeat(64)},v1=${sign(body)}`)],
  ['the last of ten signatures', body, header(`t=${at}${`,v1=${'0'.repeat(64)}`.repeat(9)},v1=${sign(body)}`)],
])('a genuine webhook is read from %s', (_from, content, headers) => {
  expect(verifyWebhook(content, headers, secret, { now })).toEqual({ ...JSON.parse(body), delivery: null });
});

test('the id of the delivery comes with the event', () => {
  const headers = { ...(header() as object), 'x-service-delivery': '67410a77b3c4d5e6f7000050' };
  expect(verifyWebhook(body, headers, secret, { now }).delivery).toBe('67410a77b3c4d5e6f7000050');
});

test('either of two secrets is accepted', () => {
  expect(verifyWebhook(body, header(), ['whsec_of_another_endpoint', secret], { now }).event).toBe(
    'ticket.status_changed',
  );
});

test.each<[string, string, WebhookHeaders, string | string[]]>([
  ['signature_mismatch', body, header(), 'whsec_of_another_endpoint'],
  ['signature_mismatch', body, header(), ['whsec_of_another_endpoint', 'whsec_of_a_third_endpoint']],
  ['signature_mismatch', body.replace('été', 'ete'), header(), secret],
  ['signature_mismatch', `${body} `, header(), secret],
  ['signature_mismatch', body, header(`t=${at + 1},v1=${sign(body)}`), secret],
  ['signature_mismatch', body, header(`t=0${at},v1=${sign(body)}`), secret],
  ['signature_mismatch', body, header(`t=${at}${`,v1=${'0'.repeat(64)}`.repeat(10)},v1=${sign(body)}`), secret],
  ['signature_mismatch', body, header(`t=${at},v1=${sign(body, { key: 'whsec_a' })},v1=${'0'.repeat(64)}`), secret],
  ['header_missing', body, {}, secret],
  ['header_missing', body, header(''), secret],
  ['header_missing', body, new Headers(), secret],
  ['header_malformed', body, header('sha256=abc'), secret],
  ['header_malformed', body, header(`v1=${sign(body)}`), secret],
  ['header_malformed', body, header(`t=${at}`), secret],
  ['header_malformed', body, header(`t=${at},v1=${sign(body).slice(2)}`), secret],
  ['header_malformed', body, header(`t=${at},t=${at},v1=${sign(body)}`), secret],
  ['header_malformed', body, header(`t=soon,v1=${sign(body)}`), secret],
  ['header_malformed', body, header(`t=${at},v1=${sign(body)}${',x'.repeat(600)}`), secret],
  ['secret_missing', body, header(), ''],
  ['secret_missing', body, header(), []],
  ['secret_missing', body, header(`t=${at},v1=${sign(body, { key: 'a' })}`), 'a'],
  ['secret_missing', body, header(), [secret, 'whsec_cut_short']],
])('%s', (code, content, headers, key) => {
  expect(refusal(() => verifyWebhook(content, headers, key, { now }))?.code).toBe(code);
});

test.each([
  [300, null],
  [301, 'timestamp_stale'],
  [-300, null],
  [-301, 'timestamp_stale'],
])('signed %d s ago: %s', (seconds, code) => {
  const clock = () => (at + seconds) * 1000;
  expect(refusal(() => verifyWebhook(body, header(), secret, { now: clock }))?.code ?? null).toBe(code);
});

describe('with a memory', () => {
  const options = (seconds = 0) => ({ now: () => (at + seconds) * 1000 });
  const later = `t=${at + 60},v1=${sign(body, { t: String(at + 60) })}`;

  test('what was accepted is refused, whatever is written beside its signature; our next attempt is not', () => {
    const replays = createReplayMemory();
    const once = (headers: WebhookHeaders, seconds = 0) =>
      refusal(() => verifyWebhook(body, headers, secret, { ...options(seconds), replays }))?.code ?? null;
    expect(once(header())).toBeNull();
    expect(once({ ...(header() as object), 'x-service-delivery': '67410a77b3c4d5e6f7000050' })).toBe('replayed');
    expect(once(header(`t=${at},v1=${'0'.repeat(64)},v1=${sign(body).toUpperCase()}`), 299)).toBe('replayed');
    expect(once(header(later), 60)).toBeNull();
  });

  test('it holds no more than its limit, and what is stale goes first', () => {
    const replays = createReplayMemory(2);
    const add = (signature: string, now: number) => replays.add(signature, { until: now + 10, now });
    expect([add('a', 0), add('b', 1), add('a', 2), add('c', 3), add('b', 4), add('a', 5)]).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(add('c', 20)).toBe(true);
  });
});

test('the tolerance can be chosen', () => {
  const clock = () => (at + 61) * 1000;
  const stale = refusal(() => verifyWebhook(body, header(), secret, { now: clock, toleranceSeconds: 60 }));
  expect(stale?.message).toContain('signed 61 s ago, 60 s are allowed');
});

test.each<[string, unknown]>([
  ['not a number', Number.NaN],
  ['a text', '5 minutes'],
  ['a setting that is missing', Number(undefined)],
  ['an object', {}],
  ['null', null],
])('a tolerance that is %s refuses old webhooks', (_what, toleranceSeconds) => {
  const clock = () => (at + 86_400) * 1000;
  const options = { now: clock, toleranceSeconds: toleranceSeconds as number };
  expect(refusal(() => verifyWebhook(body, header(), secret, options))?.code).toBe('timestamp_stale');
});

test('an invalid clock refuses every webhook', () => {
  const clock = () => Number.NaN;
  expect(refusal(() => verifyWebhook(body, header(), secret, { now: clock }))?.code).toBe('timestamp_stale');
});

test('the error of a forged webhook does not mention its age', () => {
  const forged = header(`t=1,v1=${'a'.repeat(64)}`);
  expect(refusal(() => verifyWebhook(body, forged, secret, { now }))?.code).toBe('signature_mismatch');
});

test.each([['{"event":1}'], ['[]'], ['null'], ['not JSON'], ['"text"']])('%s is genuine, but no event', (content) => {
  const headers = header(`t=${at},v1=${sign(content)}`);
  expect(refusal(() => verifyWebhook(content, headers, secret, { now }))?.code).toBe('body_unexpected');
});

test('bytes that are no UTF-8 are no event', () => {
  const content = Buffer.from([0x7b, 0xff, 0x7d]);
  const headers = header(`t=${at},v1=${sign(content)}`);
  expect(refusal(() => verifyWebhook(content, headers, secret, { now }))?.code).toBe('body_unexpected');
});

test('a parsed body is refused, only raw bytes are accepted', () => {
  const fault = refusal(() => verifyWebhook(JSON.parse(body), header(), secret, { now }));
  expect(fault).toEqual({ code: 'body_not_raw', message: expect.stringContaining('raw body') });
});

test('no error shows the secret or a signature', () => {
  const faults = [
    refusal(() => verifyWebhook(`${body} `, header(), secret, { now })),
    refusal(() => verifyWebhook(body, header(`t=1,v1=${sign(body)}x`), secret, { now })),
  ];
  expect(JSON.stringify(faults)).not.toMatch(new RegExp(`${secret}|${sign(body)}`));
});
