import { performance } from 'node:perf_hooks';

/** Shares of the time in which the event loop worked: above `busy` the process has load, below `idle` it rests. */
const busy = 0.1;
const idle = 0.05;
const everyMs = 2_000;

const everyBytes = 8 * 1024 * 1024;
let passed = 0;

type Options = { collect: () => void; utilization: () => number; everyMs?: number };

/**
 * When the load has ended, collects garbage and gives V8's pooled pages back to the system. V8 does
 * so only while a process allocates: at rest it would keep the memory of its peak
 * (docs/decisions/0017-idle-collection.md).
 * @returns a function that ends this
 */
export function collectWhenIdle({ collect, utilization, everyMs: interval = everyMs }: Options): () => void {
  let wasBusy = false;
  const timer = setInterval(() => {
    const share = utilization();
    if (share > busy) wasBusy = true;
    if (!wasBusy || share > idle) return;
    wasBusy = false;
    collect();
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}

/** Starts `collectWhenIdle` for this process, if Node was started with `--expose-gc`. */
export function startIdleGc(): void {
  const { gc } = globalThis;
  if (!gc) return;
  let before = performance.eventLoopUtilization();
  collectWhenIdle({
    collect: () => void gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }),
    utilization() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  });
}

/**
 * Counts the bytes of a body that passed, and runs a minor collection every 8 MB, which takes about a millisecond.
 * Their buffers lie outside V8's heap, and V8 looks for dead ones only after 64 MB: every process that streams would
 * grow by that much. Does nothing without `--expose-gc`.
 */
export function countStreamedBytes(bytes: number): void {
  passed += bytes;
  if (passed < everyBytes) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}
