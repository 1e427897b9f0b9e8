import { performance } from 'node:perf_hooks';

/** Shares of the time that the event loop worked: above `busy` something is going on, below `idle` nothing is. */
const busy = 0.1;
const idle = 0.05;
const everyMs = 2_000;

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
