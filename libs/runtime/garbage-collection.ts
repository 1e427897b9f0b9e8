import { performance } from 'node:perf_hooks';

/** Shares of the time that the event loop worked: above `busy` something is going on, below `idle` nothing is. */
const busy = 0.1;
const idle = 0.05;
const everyMs = 2_000;

const everyBytes = 8 * 1024 * 1024;
let passed = 0;

type Options = { collect: () => void; utilization: () => number; everyMs?: number };

/**
 * After a busy time, once there is rest, collects garbage and gives V8's pooled pages back to the system. V8 leaves that
 * to a process that allocates again; one that has come to rest would keep the peak of its load for ever: 190 MB instead
 * of 120. Returns what ends it.
 */
export function startIdleGc({ collect, utilization, everyMs: interval = everyMs }: Options): () => void {
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

/** The same for this process, where Node was started with `--expose-gc`; without it nothing happens. */
export function collectThisProcessAtRest(): void {
  const { gc } = globalThis;
  if (!gc) return;
  let before = performance.eventLoopUtilization();
  startIdleGc({
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
 * Counts the bytes of a body that passed. Their buffers lie outside V8's heap, and V8 comes to look for dead ones
 * after 64 MB of them only: each process that streams would grow by that much. A minor collection every 8 MB takes about
 * a millisecond and keeps it at a few. Nothing happens where Node was started without `--expose-gc`.
 */
export function countStreamedBytes(bytes: number): void {
  passed += bytes;
  if (passed < everyBytes) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}
