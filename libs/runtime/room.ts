/** How many may be under way at once; who finds no room waits, in the order of asking. */
export type Room = {
  enter(): Promise<void>;
  leave(): void;
  /** Enters, does the work and leaves. */
  within(work: () => Promise<void>): Promise<void>;
};

export function createRoom(most: number): Room {
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
    enter,
    leave,
    async within(work) {
      await enter();
      await work().finally(leave);
    },
  };
}
