import { durationHistogram, gaugeOnScrape } from '@app/runtime';
import { Counter, Gauge } from 'prom-client';
import type { Attempt } from './attempt.ts';
import type { Delivery, Outcome } from './deliveries/delivery.ts';

const attempts = durationHistogram({
  name: 'webhook_attempt_duration_seconds',
  help: 'Time of an attempt from DNS to the last byte read, by what came of it',
  labelNames: ['result'],
});

const results = new Counter({
  name: 'webhook_attempt_results_total',
  help: 'Attempts by the status of their delivery afterwards: succeeded, failed (another attempt follows) or exhausted',
  labelNames: ['status'] as const,
});

/** The last buckets are the steps of the default retry schedule. */
const delayBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 86_400];

const firstAttemptDelay = durationHistogram({
  name: 'webhook_first_attempt_delay_seconds',
  help: 'Time from an event to the start of the first attempt of its delivery',
  buckets: delayBuckets,
});

const deliveryDelay = durationHistogram({
  name: 'webhook_delivery_delay_seconds',
  help: 'Time from an event to the answer of the attempt that succeeded',
  buckets: delayBuckets,
});

const disabled = new Counter({
  name: 'webhook_endpoints_disabled_total',
  help: 'Endpoints that were disabled because 10 deliveries in a row were exhausted',
});

export type SendingObserver = {
  /** Called after every attempt but those of tests. `delivery`: as it was before the attempt. */
  attempted(delivery: Delivery, attempt: Attempt, outcome: Outcome): void;
  endpointDisabled(): void;
};

export const sendingObserver: SendingObserver = {
  attempted({ origin, tries }, attempt, { status }) {
    attempts.observe({ result: attempt.error ?? 'succeeded' }, attempt.durationMs / 1000);
    results.inc({ status });
    if (!origin) return;
    const delayMs = attempt.at.getTime() - origin.eventTime.getTime();
    // Another replica's clock may be ahead by some milliseconds.
    if (tries === 0) firstAttemptDelay.observe({}, Math.max(0, delayMs) / 1000);
    if (status === 'succeeded') deliveryDelay.observe({}, Math.max(0, delayMs + attempt.durationMs) / 1000);
  },
  endpointDisabled: () => disabled.inc(),
};

export const attemptsInFlight = new Gauge({
  name: 'webhook_attempts_in_flight',
  help: 'Attempts under way in this process',
});

type Measured = {
  log: { countDue(at: Date): Promise<number>; oldestDue(at: Date): Promise<Date | null> };
  now: () => Date;
};

/** Measures what waits in the database, for each scrape. */
export function measureDue({ log, now }: Measured): void {
  gaugeOnScrape({
    name: 'webhook_deliveries_due',
    help: 'Deliveries whose next attempt is due and has not begun; all replicas see the same, at most 10,000',
    read: async () => [{ value: await log.countDue(now()) }],
  });
  gaugeOnScrape({
    name: 'webhook_oldest_due_seconds',
    help: 'How long the longest due delivery has been due, of endpoints to which nobody is sending; 0: none is',
    async read() {
      const at = now();
      const oldest = await log.oldestDue(at);
      return [{ value: oldest === null ? 0 : (at.getTime() - oldest.getTime()) / 1000 }];
    },
  });
}
