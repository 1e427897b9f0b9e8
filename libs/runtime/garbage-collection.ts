/** How much work is worth a collection, which takes a tenth of it. */
const worthMs = 2_000;
/** Share of a processor below which the process rests. */
const idle = 0.05;
const everyMs = 2_000;

const everyBytes = 8 * 1024 * 1024;
let passed = 0;

type Options = { collect: () => void; workedMs: () => number; everyMs?: number };

/**
 * When the load has ended, collects garbage and gives V8's pooled pages back to the system. V8 does
 * so only while a process allocates: at rest it would keep the memory of its peak
 * (docs/decisions/memory-at-rest.md).
 * @param workedMs the processor time of the thread until now. Not how busy its event loop was: on a busy machine that
 * counts the time in which others had the processor.
 * @returns a function that ends this
 */
export function collectWhenIdle({ collect, workedMs, everyMs: interval = everyMs }: Options): () => void {
  let collectedAt = 0;
  let lookedAt = workedMs();
  const timer = setInterval(() => {
    const now = workedMs();
    const isAtRest = now - lookedAt <= idle * interval;
    lookedAt = now;
    if (!isAtRest || now - collectedAt < worthMs) return;
    collect();
    lookedAt = workedMs();
    collectedAt = lookedAt;
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}

/** Starts `collectWhenIdle` for this process, if Node was started with `--expose-gc`. */
export function startIdleGc(): void {
  const { gc } = globalThis;
  if (!gc) return;
  collectWhenIdle({
    collect: () => void gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }),
    workedMs() {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1_000;
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
