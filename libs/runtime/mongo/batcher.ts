import { AppError } from '@app/kernel';
import { type BatchMember, batchMember, inBatchSpan } from '../tracing/index.ts';
import { isTransientMongoError } from './mongo.ts';

export type Batcher<Item, Result> = {
  /** Adds the item to the next batch; resolves to its result. Rejects if the item fails, or its batch because of an outage. */
  add(item: Item): Promise<Result>;
};

type Options<Item, Result> = {
  /** The name of a batch's span: what it does, in two or three words. */
  name: string;
  /**
   * Returns one result for each item, in order. One batch runs at a time. If it rejects for several items, it runs again for each
   * half of them, so that the item at fault fails alone: unless `once`, it must be idempotent.
   */
  run: (items: Item[]) => Promise<Result[]>;
  /** Never run a batch again: if it rejects, all of its items fail. */
  once?: boolean;
  /** The most items of a batch. */
  maxBatch: number;
  /** The longest pause between the start of a large batch and the next one, 20 ms. */
  maxDelayMs?: number;
  /** How long the first item of a batch waits for others, 0. */
  lingerMs?: number;
};

type Waiting<Item, Result> = {
  item: Item;
  member: BatchMember;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** The pause after a batch grows with its size, so that under load the next batch is large again. */
const delayPerItemMs = 4;
const defaultMaxDelayMs = 20;
/** A batch of this size is not delayed: a larger one would save hardly anything more. */
const flushAt = 64;

/**
 * Micro-batching for work that costs as much for many items as for one. An item that arrives alone is processed at once, or
 * after `lingerMs`; under load, batches are delayed by up to `maxDelayMs`, so that each carries many.
 */
export function createBatcher<Item, Result>(options: Options<Item, Result>): Batcher<Item, Result> {
  const { name, run, maxBatch, maxDelayMs = defaultMaxDelayMs, lingerMs = 0, once = false } = options;
  const waiting: Waiting<Item, Result>[] = [];
  let notBefore = 0;
  let scheduled = false;
  let running = false;

  function schedule(): void {
    if (scheduled || running || waiting.length === 0) return;
    scheduled = true;
    const isFull = waiting.length >= Math.min(flushAt, maxBatch);
    const delayMs = isFull ? 0 : Math.max(lingerMs, notBefore - performance.now());
    if (delayMs < 1) setImmediate(start);
    else setTimeout(start, delayMs);
  }

  function start(): void {
    scheduled = false;
    running = true;
    const batch = waiting.splice(0, maxBatch);
    notBefore = performance.now() + Math.min(maxDelayMs, batch.length * delayPerItemMs);
    finish(batch).finally(() => {
      running = false;
      schedule();
    });
  }

  async function finish(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const members = batch.map(({ member }) => member);
      const results = await inBatchSpan(name, members, () => run(batch.map(({ item }) => item)));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || once || isOutage(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await finish(batch.slice(0, half));
      await finish(batch.slice(half));
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, member: batchMember(), resolve, reject });
        schedule();
      }),
  };
}

/** No item is at fault: run again, each of them would fail as well. */
function isOutage(error: unknown): boolean {
  return isTransientMongoError(error) || (error instanceof AppError && outages.includes(error.kind));
}

const outages = ['unavailable', 'timeout', 'overloaded'];
