import { LRUCache } from 'lru-cache';

type Streak = {
  /** Resolves when everything that was asked for so far is done. */
  end: Promise<void>;
  /**
   * Callbacks of exhausted deliveries that are not counted yet. A success calls them all; each then
   * stores its delivery without counting it.
   */
  waiting: Set<() => void>;
  /** A reset that has not started yet. */
  reset: Promise<void> | null;
  /** Changes for the worse that have not ended. */
  changes: number;
};

const maxEndpoints = 10_000;

/**
 * Counts how many deliveries of an endpoint were exhausted in a row, in the order in which their
 * attempts ended: results are stored later, and in another order. All counts, resets and changes
 * for the worse of an endpoint's health run here, one at a time.
 */
export class FailureStreaks {
  readonly #reset: (endpointId: string) => Promise<void>;
  readonly #streaks = new Map<string, Streak>();
  /** When the last change for the worse of an endpoint ended, in ms by `performance.now()`. */
  readonly #lastChanges = new LRUCache<string, number>({ max: maxEndpoints });

  /** @param reset stores that the count of an endpoint is 0 */
  constructor(reset: (endpointId: string) => Promise<void>) {
    this.#reset = reset;
  }

  /** A delivery has succeeded: ends the streak. Resolves once that is stored. */
  succeeded(endpointId: string): Promise<void> {
    const streak = this.#streakOf(endpointId);
    for (const skip of streak.waiting) skip();
    streak.waiting.clear();
    streak.reset ??= this.#inTurn(endpointId, () => {
      streak.reset = null;
      return this.#reset(endpointId);
    });
    return streak.reset;
  }

  /**
   * A delivery was exhausted. Calls `count` after everything before it; or `skip`, if a delivery succeeds before its turn
   * and so ends the streak that it would have been counted in.
   */
  exhausted<T>(endpointId: string, count: () => Promise<T>, skip: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { waiting } = this.#streakOf(endpointId);
      const skipped = () => resolve(skip());
      waiting.add(skipped);
      this.change(endpointId, async () => {
        if (waiting.delete(skipped)) resolve(await count());
      }).catch(reject);
    });
  }

  /** Changes the endpoint's health for the worse, after everything before it. */
  change(endpointId: string, work: () => Promise<void>): Promise<void> {
    const streak = this.#streakOf(endpointId);
    streak.changes += 1;
    return this.#inTurn(endpointId, () =>
      work().finally(() => {
        streak.changes -= 1;
        this.#lastChanges.set(endpointId, performance.now());
      }),
    );
  }

  /**
   * True if this process is changing the endpoint's health for the worse, or has done so since then: what was read of it
   * before may be out of date.
   * @param at ms by `performance.now()`
   */
  changedSince(endpointId: string, at: number): boolean {
    const { changes = 0 } = this.#streaks.get(endpointId) ?? {};
    return changes > 0 || (this.#lastChanges.get(endpointId) ?? 0) >= at;
  }

  #inTurn(endpointId: string, work: () => Promise<void>): Promise<void> {
    const streak = this.#streakOf(endpointId);
    const done = streak.end.then(work);
    const end = done
      .catch(() => undefined)
      .then(() => {
        if (streak.end === end) this.#streaks.delete(endpointId);
      });
    streak.end = end;
    return done;
  }

  #streakOf(endpointId: string): Streak {
    const fresh = { end: Promise.resolve(), waiting: new Set<() => void>(), reset: null, changes: 0 };
    const streak: Streak = this.#streaks.get(endpointId) ?? fresh;
    this.#streaks.set(endpointId, streak);
    return streak;
  }
}
