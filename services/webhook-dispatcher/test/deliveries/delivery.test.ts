import { type Attempt, statusError } from '../../attempt.ts';
import { deliveryBody, deliveryId, maxAttemptsOf, maxBodyBytes, outcomeOf } from '../../deliveries/delivery.ts';
import { newSecret } from '../../endpoints/endpoint.ts';

const minute = 60_000;
const delays = [1 * minute, 5 * minute, 30 * minute, 120 * minute, 720 * minute];
const startedAt = new Date('2026-11-21T08:00:00.000Z');

function attempt(error: Attempt['error']): Attempt {
  return { at: startedAt, statusCode: null, durationMs: 2500, error, responseBody: null };
}

test.each([
  [0, 'failed', '2026-11-21T08:01:02.500Z'],
  [1, 'failed', '2026-11-21T08:05:02.500Z'],
  [2, 'failed', '2026-11-21T08:30:02.500Z'],
  [3, 'failed', '2026-11-21T10:00:02.500Z'],
  [4, 'failed', '2026-11-21T20:00:02.500Z'],
  [5, 'exhausted', undefined],
  [6, 'exhausted', undefined],
])('a failure after %i attempts: %s, next %s, from the end of the attempt', (tries, status, next) => {
  expect(outcomeOf(attempt('timeout'), tries, delays)).toEqual({ status, nextAttemptAt: next ? new Date(next) : null });
});

test.each([0, 3, 5])('a success after %i attempts ends it', (tries) => {
  expect(outcomeOf(attempt(null), tries, delays)).toEqual({ status: 'succeeded', nextAttemptAt: null });
});

test.each([
  ['is new', 'pending', 0, 0, 6],
  ['failed twice', 'failed', 2, 2, 6],
  ['was sent again after six attempts', 'pending', 0, 6, 12],
  ['failed more often than there are delays now', 'failed', 7, 7, 8],
  ['arrived at the second attempt', 'succeeded', 2, 2, 2],
  ['is exhausted', 'exhausted', 6, 6, 6],
  ['was canceled', 'canceled', 1, 1, 1],
] as const)(
  'a delivery that %s (%s, %i tries, %i in its log) has at most %i attempts',
  (_what, status, tries, made, most) => {
    const attempts = Array.from({ length: made }, () => attempt('timeout'));
    expect(maxAttemptsOf({ status, tries, attempts }, delays)).toBe(most);
  },
);

test.each([
  [200, null],
  [204, null],
  [299, null],
  [301, 'redirect_refused'],
  [304, 'redirect_refused'],
  [400, 'status_not_2xx'],
  [410, 'status_not_2xx'],
  [500, 'status_not_2xx'],
])('status %i: %s', (statusCode, error) => expect(statusError(statusCode)).toBe(error));

test('the id is 24 hexadecimal characters, the same for the same event and endpoint, and only for these', () => {
  const time = '2026-11-21T08:00:00.000Z';
  const id = deliveryId({ id: 'event-1', time }, 'a'.repeat(24));
  expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(deliveryId({ id: 'event-1', time }, 'a'.repeat(24))).toBe(id);
  expect(deliveryId({ id: 'event-2', time }, 'a'.repeat(24))).not.toBe(id);
  expect(deliveryId({ id: 'event-1', time }, 'b'.repeat(24))).not.toBe(id);
});

test('the body holds event, created_at and data, and no other key', () => {
  const body = deliveryBody('ticket.quote_added', '2026-11-21T08:00:00.000Z', { ticket: { id: '1' } });
  expect(body).toBe(
    '{"event":"ticket.quote_added","created_at":"2026-11-21T08:00:00.000Z","data":{"ticket":{"id":"1"}}}',
  );
});

test('a secret is whsec_ and 32 random bytes in base64url', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  expect(newSecret()).not.toBe(newSecret());
});

test('a body has at most 256 KB', () => {
  const around = deliveryBody('ticket.message_added', '', '').length;
  expect(deliveryBody('ticket.message_added', '', 'x'.repeat(maxBodyBytes - around))).toHaveLength(maxBodyBytes);
  expect(() => deliveryBody('ticket.message_added', '', 'é'.repeat(maxBodyBytes / 2))).toThrow('at most 262144 bytes');
});
