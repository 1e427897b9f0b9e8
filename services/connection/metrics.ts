import { durationBuckets, durationHistogram, gaugeOnScrape } from '@app/runtime';
import { Counter, Gauge } from 'prom-client';

type Call = { provider: string; kind: 'fetch' | 'feedback' };

const calls = new Counter({
  name: 'provider_calls_total',
  help: 'Attempts to fetch an invoice or to report an outcome, by result',
  labelNames: ['provider', 'kind', 'result'] as const,
});

const durations = durationHistogram({
  name: 'provider_call_duration_seconds',
  help: 'Time of such an attempt, the storage of what was fetched included',
  labelNames: ['provider', 'kind'],
  buckets: [...durationBuckets, 30, 60],
});

const polls = new Counter({
  name: 'provider_polls_total',
  help: 'Polls of a connection for what changed; `result` is done or failed',
  labelNames: ['provider', 'result'] as const,
});

const clockSkew = new Gauge({
  name: 'provider_clock_skew_seconds',
  help: "By how much the clock of the database was ahead of the provider's at the last poll; below 0: behind",
  labelNames: ['provider'] as const,
});

/** Starts timing a call. @returns a function to be called with the result when the call ends */
export function startCall(call: Call): (result: string) => void {
  const started = performance.now();
  return (result) => {
    durations.observe(call, (performance.now() - started) / 1000);
    calls.inc({ ...call, result });
  };
}

export function countPoll(provider: string, result: 'done' | 'failed'): void {
  polls.inc({ provider, result });
}

/** Times of the same moment. The provider's has whole seconds. */
export function observeClock(provider: string, { ours, theirs }: { ours: Date; theirs: Date }): void {
  clockSkew.set({ provider }, (ours.getTime() - theirs.getTime()) / 1000);
}

/** `overdue`: by provider, since when its longest overdue connection has been due. */
type Measured = {
  polls: { overdue(at: Date): Promise<Map<string, Date>> };
  providers: readonly string[];
  now: () => Date;
};

/** Measures what waits in the database, for each scrape. */
export function measurePolls(measured: Measured): void {
  gaugeOnScrape({
    name: 'provider_poll_overdue_seconds',
    help: 'How long the connection that waits longest for its poll is overdue, by provider; 0: none is',
    labelNames: ['provider'] as const,
    async read() {
      const at = measured.now();
      const overdue = await measured.polls.overdue(at);
      return measured.providers.map((provider) => {
        const since = overdue.get(provider);
        return { labels: { provider }, value: since ? (at.getTime() - since.getTime()) / 1000 : 0 };
      });
    },
  });
}
