import { AppError } from '@app/kernel';

type Limits = {
  /** Permits in total. */
  total: number;
  /** Permits of one key: fewer than in total, so that no key takes them all. */
  perKey: number;
  throttleMs: number;
  /** Whether work of a throttled key may wait. If not, it is refused while the key has any other work. */
  queueThrottled: boolean;
};

type Waiter = { start: () => void; refuse: (error: Error) => void };
type KeyState = { waiters: Waiter[]; running: number };

/**
 * A semaphore whose permits go to keys (companies) in turns, first to keys that have none, however much work one key brings. A
 * key whose work takes long can be throttled to one permit.
 */
export class FairSemaphore {
  readonly #limits: Limits;
  /** In the order of the last turn, the longest ago first. */
  readonly #keys = new Map<string, KeyState>();
  readonly #throttledUntil = new Map<string, number>();
  #running = 0;
  #closed: Error | null = null;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @throws AppError overloaded `reader_busy` if the key is throttled and must not wait; the error of `close` */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#acquire(key);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  /** The work of this key takes long: for a while it has one permit at a time. */
  throttle(key: string): void {
    const now = performance.now();
    for (const [one, until] of this.#throttledUntil) if (until <= now) this.#throttledUntil.delete(one);
    this.#throttledUntil.set(key, now + this.#limits.throttleMs);
    if (!this.#limits.queueThrottled) this.#refuseWaiting(this.#keys.get(key), busy());
  }

  /** Refuses what waits and what comes, with this error. */
  close(error: Error): void {
    this.#closed = error;
    for (const state of this.#keys.values()) this.#refuseWaiting(state, error);
  }

  async #acquire(key: string): Promise<void> {
    if (this.#closed) throw this.#closed;
    const state = this.#keys.get(key) ?? { waiters: [], running: 0 };
    const isBusy = state.waiters.length + state.running > 0;
    if (isBusy && !this.#limits.queueThrottled && this.#isThrottled(key)) throw busy();
    this.#keys.set(key, state);
    await new Promise<void>((start, refuse) => {
      state.waiters.push({ start, refuse });
      this.#startWaiting();
    });
  }

  #release(key: string): void {
    const state = this.#keys.get(key) as KeyState;
    state.running -= 1;
    this.#running -= 1;
    this.#keys.delete(key);
    if (state.running > 0 || state.waiters.length > 0) this.#keys.set(key, state);
    this.#startWaiting();
  }

  #startWaiting(): void {
    for (let next = this.#next(); next && this.#running < this.#limits.total; next = this.#next()) {
      const [key, state] = next;
      state.running += 1;
      this.#running += 1;
      this.#keys.delete(key);
      this.#keys.set(key, state);
      state.waiters.shift()?.start();
    }
  }

  #next(): [string, KeyState] | undefined {
    const ready = [...this.#keys].filter(
      ([key, { waiters, running }]) =>
        waiters.length > 0 && running < (this.#isThrottled(key) ? 1 : this.#limits.perKey),
    );
    return ready.find(([, { running }]) => running === 0) ?? ready[0];
  }

  #isThrottled(key: string): boolean {
    return (this.#throttledUntil.get(key) ?? 0) > performance.now();
  }

  #refuseWaiting(state: KeyState | undefined, error: Error): void {
    for (const { refuse } of state?.waiters.splice(0) ?? []) refuse(error);
  }
}

function busy(): AppError {
  return new AppError('overloaded', 'reader_busy', 'documents of this company take long to read: one at a time');
}
