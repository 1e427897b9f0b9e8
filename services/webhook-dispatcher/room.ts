/** How much may be under way at once; who finds none left waits, in the order of asking. */
export type Room = {
  /** Resolves once there is room for anything; then all of `count` go in, however many. */
  enter(count: number): Promise<void>;
  leave(): void;
};

export function createRoom(most: number): Room {
  const waiting: { count: number; go: () => void }[] = [];
  let inside = 0;
  return {
    async enter(count) {
      if (inside >= most || waiting.length > 0) return new Promise((go) => waiting.push({ count, go }));
      inside += count;
      return undefined;
    },
    leave() {
      inside -= 1;
      while (inside < most) {
        const first = waiting.shift();
        if (!first) return;
        inside += first.count;
        first.go();
      }
    },
  };
}
