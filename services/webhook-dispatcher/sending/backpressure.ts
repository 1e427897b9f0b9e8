import { LRUCache } from 'lru-cache';

/** Ends a wait: true to try again, false to give up. */
type Wake = (tryAgain: boolean) => void;

/** An endpoint whose last attempt ended within this time is responsive: a slot becomes free in milliseconds. */
const responsiveMs = 250;
/** The longest wait for a slot; the event stays with the broker meanwhile. */
const maxWaitMs = 1_000;
/** A waiting delivery tries again after this time, even if no slot was reported as free. */
const retryEveryMs = 50;
/**
 * Deliveries that may wait for one endpoint: half of the 256 events that are handled at once, so that the others are left for
 * other endpoints. With fewer, a burst for an endpoint that keeps up would have to be stored and claimed again.
 */
const maxWaiting = 128;
const maxEndpoints = 10_000;

/**
 * Lets new deliveries of a responsive endpoint wait for a slot in memory, and their events with the
 * broker: that costs one write for each; storing them first and claiming them later would cost
 * three. Deliveries of an endpoint that does not respond, or that has older ones waiting in the
 * database, never wait.
 */
export class Backpressure {
  readonly #now: () => number;
  readonly #lastAttempts = new LRUCache<string, number>({ max: maxEndpoints });
  readonly #waiting = new Map<string, Set<Wake>>();
  #stopped = false;

  /** @param now in ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves to true once `tryEnqueue` has found a slot; to false if the endpoint is not responsive, has a backlog or enough
   * deliveries waiting, or if no slot became free in time.
   */
  async waitForSlot(endpointId: string, tryEnqueue: () => boolean, hasBacklog = () => false): Promise<boolean> {
    for (const until = this.#now() + maxWaitMs; !tryEnqueue(); ) {
      if (hasBacklog() || !this.#shouldWait(endpointId) || this.#now() > until) return false;
      if (!(await this.#wait(endpointId))) return false;
    }
    return true;
  }

  attemptEnded(endpointId: string): void {
    this.#lastAttempts.set(endpointId, this.#now());
  }

  /** A slot of the endpoint may be free: the delivery that has waited longest tries again. */
  slotFreed(endpointId: string): void {
    const [first] = this.#waiting.get(endpointId) ?? [];
    first?.(true);
  }

  /** The endpoint was deactivated or deleted: nobody waits for it any more. */
  evict(endpointId: string): void {
    this.#lastAttempts.delete(endpointId);
    for (const wake of [...(this.#waiting.get(endpointId) ?? [])]) wake(false);
  }

  stop(): void {
    this.#stopped = true;
    for (const endpointId of [...this.#waiting.keys()]) this.evict(endpointId);
  }

  #shouldWait(endpointId: string): boolean {
    const lastAttempt = this.#lastAttempts.get(endpointId) ?? Number.NEGATIVE_INFINITY;
    const isResponsive = !this.#stopped && this.#now() - lastAttempt < responsiveMs;
    return isResponsive && (this.#waiting.get(endpointId)?.size ?? 0) < maxWaiting;
  }

  #wait(endpointId: string): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(endpointId) ?? new Set();
      this.#waiting.set(endpointId, waiting);
      const wake: Wake = (tryAgain) => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(endpointId);
        resolve(tryAgain);
      };
      const timer = setTimeout(wake, retryEveryMs, true);
      waiting.add(wake);
    });
  }
}
