/** How many may be under way at once; who finds no room waits, in the order of asking. */
export type Semaphore = {
  acquire(): Promise<void>;
  release(): void;
  /** Enters, does the work and leaves. */
  run(work: () => Promise<void>): Promise<void>;
};

export function createSemaphore(most: number): Semaphore {
  const waiting: (() => void)[] = [];
  let inside = 0;

  async function enter(): Promise<void> {
    if (inside >= most) return new Promise((go) => waiting.push(go));
    inside += 1;
    return undefined;
  }

  function leave(): void {
    const first = waiting.shift();
    // Its place goes to who has waited longest.
    if (first) first();
    else inside -= 1;
  }

  return {
    acquire: enter,
    release: leave,
    async run(work) {
      await enter();
      await work().finally(leave);
    },
  };
}
