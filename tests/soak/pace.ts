import { setTimeout as delay } from 'node:timers/promises';

/** Hands out steps: how many were taken, and no more of them than the rate allows. */
export type Pace = ReturnType<typeof createPace>;

export function createPace() {
  let taken = 0;
  let intervalMs = 0;
  let nextAt = 0;
  return {
    taken: (): number => taken,
    /** Steps a second from now on; null: no limit. */
    setRate(perSecond: number | null): void {
      intervalMs = perSecond === null ? 0 : 1000 / perSecond;
    },
    async next(): Promise<void> {
      const now = performance.now();
      // What was not taken in time is not made up for: a burst would be another load.
      const at = Math.max(now, nextAt);
      nextAt = at + intervalMs;
      await delay(at - now);
      taken += 1;
    },
  };
}
