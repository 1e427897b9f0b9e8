import { testEvent } from '@app/contracts';
import type { Logger } from '@app/runtime';
import type { Attempt } from '../attempt.ts';
import type { Delivery, Outcome } from '../deliveries/delivery.ts';
import { type AttemptCounts, countAttempt, noCounts, periodStart, storedPeriodsMs } from './attempt-statistics.ts';
import type { AttemptStatisticsStore, CountedPeriod } from './attempt-statistics-store.ts';

type Deps = { statistics: Pick<AttemptStatisticsStore, 'add'>; logger: Logger; everyMs?: number };

/**
 * Counts attempts in memory and adds them to the stored counts once a second: two increments per endpoint, however
 * many attempts there are. A killed process loses at most that second; the deliveries themselves are complete.
 */
export class AttemptCounter {
  readonly #deps: Deps;
  readonly #everyMs: number;
  #counted = new Map<string, { period: CountedPeriod; counts: AttemptCounts }>();
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#everyMs = deps.everyMs ?? 1_000;
  }

  /** To be called after every attempt but those of tests. */
  attempted({ endpointId, event }: Pick<Delivery, 'endpointId' | 'event'>, attempt: Attempt, outcome: Outcome): void {
    if (event === testEvent) return;
    for (const periodMs of storedPeriodsMs) {
      const at = periodStart(attempt.at, periodMs);
      const key = `${endpointId} ${periodMs} ${at.getTime()}`;
      const entry = this.#counted.get(key) ?? { period: { endpointId, periodMs, at }, counts: noCounts() };
      countAttempt(entry.counts, attempt, outcome);
      this.#counted.set(key, entry);
    }
    this.#timer ??= setTimeout(() => this.#flush(), this.#everyMs).unref();
  }

  /** Stores what is counted. */
  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    this.#timer = null;
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    if (counted.length === 0) return;
    try {
      await this.#deps.statistics.add(counted);
    } catch (error) {
      // Not repeated: part of it may be stored, and would count twice.
      this.#deps.logger.warn('attempts could not be added to the statistics', { periods: counted.length, error });
    }
  }
}
