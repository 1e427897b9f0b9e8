import { metrics } from '@app/runtime';
import type { Attempt } from '../attempt.ts';
import type { Delivery, Outcome } from '../deliveries/delivery.ts';
import { sendingObserver } from '../metrics.ts';

const eventTime = new Date('2026-11-23T08:00:00.000Z');
const origin = { eventId: 'e', eventTime };
const succeeded: Outcome = { status: 'succeeded', nextAttemptAt: null };
const failed: Outcome = { status: 'failed', nextAttemptAt: new Date() };

function attemptAfter(ms: number, error: Attempt['error'] = null): Attempt {
  const at = new Date(eventTime.getTime() + ms);
  return { at, statusCode: error ? 500 : 200, durationMs: 500, error, responseBody: '' };
}

/** The changed metrics, without those that count every attempt. */
async function observe(delivery: Partial<Delivery>, attempt: Attempt, outcome: Outcome): Promise<string[]> {
  metrics.resetMetrics();
  sendingObserver.attempted({ tries: 0, ...delivery } as Delivery, attempt, outcome);
  const lines = (await metrics.metrics()).split('\n');
  return lines.filter((line) => /^webhook_(attempt|first|delivery).*_(sum|total)\b/.test(line));
}

const ofSuccess = [
  'webhook_attempt_duration_seconds_sum{result="succeeded"} 0.5',
  'webhook_attempt_results_total{status="succeeded"} 1',
];

test('a first attempt that succeeds counts for both delays', async () => {
  expect(await observe({ origin }, attemptAfter(1_500), succeeded)).toEqual([
    ...ofSuccess,
    'webhook_first_attempt_delay_seconds_sum 1.5',
    'webhook_delivery_delay_seconds_sum 2',
  ]);
});

test('a later attempt that succeeds counts for the delivery alone', async () => {
  expect(await observe({ origin, tries: 2 }, attemptAfter(61_000), succeeded)).toEqual([
    ...ofSuccess,
    'webhook_delivery_delay_seconds_sum 61.5',
  ]);
});

test('a first attempt that fails counts for the first attempt alone', async () => {
  expect(await observe({ origin }, attemptAfter(1_000, 'status_not_2xx'), failed)).toEqual([
    'webhook_attempt_duration_seconds_sum{result="status_not_2xx"} 0.5',
    'webhook_attempt_results_total{status="failed"} 1',
    'webhook_first_attempt_delay_seconds_sum 1',
  ]);
});

test('a clock that is ahead makes no negative delay', async () => {
  expect(await observe({ origin }, attemptAfter(-800), succeeded)).toEqual([
    ...ofSuccess,
    'webhook_first_attempt_delay_seconds_sum 0',
    'webhook_delivery_delay_seconds_sum 0',
  ]);
});

test('a test has no event, and so no delay', async () => {
  expect(await observe({}, attemptAfter(1_000), succeeded)).toEqual(ofSuccess);
});
