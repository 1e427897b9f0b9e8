import { AppError } from '@app/kernel';
import { isTransientMongoError } from './mongo.ts';

/** Work that costs as much for many as for one: what is asked for meanwhile is done together. */
export type Batcher<Item, Result> = {
  /** Rejects where the item itself fails, or where an outage has its whole batch fail. */
  add(item: Item): Promise<Result>;
};

type Options<Item, Result> = {
  /**
   * One result for each item, in their order. Never called again before it has ended. Where it rejects for many, it runs
   * again for each half of them, so that the item at fault fails alone: unless `once`, the same twice must be the same.
   */
  run: (items: Item[]) => Promise<Result[]>;
  /** Never run again, because what it did before it failed must not be done twice: the whole batch fails together. */
  once?: boolean;
  /** Items of one batch. */
  maxBatch: number;
  /** For how long a batch may wait for company, after one of many. */
  maxDelayMs?: number;
};

type Waiting<Item, Result> = { item: Item; done: (result: Result) => void; failed: (error: unknown) => void };

/** After a batch of one the next may follow so soon; after one of many, so many times later, for it to be larger again. */
const pausePerItemMs = 4;
const defaultPauseMs = 20;
/** For more it is not worth to wait: each of them would cost hardly less. */
const enough = 64;

/**
 * Whoever comes alone is served at once. Under load a batch follows the one before by up to 20 ms, so that it carries
 * many: the busier, the cheaper for each.
 */
export function createBatcher<Item, Result>(options: Options<Item, Result>): Batcher<Item, Result> {
  const { run, maxBatch: most, maxDelayMs: longestPauseMs = defaultPauseMs, once = false } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let notBefore = 0;
  let scheduled = false;
  let running = false;

  function schedule(): void {
    if (scheduled || running || waiting.length === 0) return;
    scheduled = true;
    const pauseMs = waiting.length >= Math.min(enough, most) ? 0 : notBefore - performance.now();
    if (pauseMs < 1) setImmediate(start);
    else setTimeout(start, pauseMs);
  }

  function start(): void {
    scheduled = false;
    running = true;
    const batch = waiting.splice(0, most);
    notBefore = performance.now() + Math.min(longestPauseMs, batch.length * pausePerItemMs);
    finish(batch).finally(() => {
      running = false;
      schedule();
    });
  }

  async function finish(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { done }] of batch.entries()) done(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || once || isOutage(error)) {
        for (const { failed } of batch) failed(error);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await finish(batch.slice(0, half));
      await finish(batch.slice(half));
    }
  }

  return {
    add: (item) =>
      new Promise((done, failed) => {
        waiting.push({ item, done, failed });
        schedule();
      }),
  };
}

/** Nobody's fault: each of them would fail alone as well, one after the other. */
function isOutage(error: unknown): boolean {
  return isTransientMongoError(error) || (error instanceof AppError && outages.includes(error.kind));
}

const outages = ['unavailable', 'timeout', 'overloaded'];
