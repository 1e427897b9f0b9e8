/** Limits how much runs at once. Waiting callers get in in the order in which they asked. */
export type Semaphore = ReturnType<typeof createSemaphore>;

/** @param limit how many slots there are */
export function createSemaphore(limit: number) {
  const queue: (() => void)[] = [];
  let running = 0;

  async function acquire(): Promise<void> {
    if (running >= limit) return new Promise((resolve) => queue.push(resolve));
    running += 1;
    return undefined;
  }

  function release(): void {
    const next = queue.shift();
    // The slot is passed on rather than freed, so that a new caller never overtakes waiting ones.
    if (next) next();
    else running -= 1;
  }

  return {
    /** Resolves once a slot is free, which the caller then holds until `release`. */
    acquire,
    release,
    /** Runs `work` with a slot. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
    /** How many callers wait for a slot. */
    get waiting() {
      return queue.length;
    },
  };
}
