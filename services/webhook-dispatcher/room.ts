/** How many may be under way at once; who finds no room waits, in the order of asking. */
export type Room = {
  enter(): Promise<void>;
  leave(): void;
};

export function createRoom(most: number): Room {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async enter() {
      if (inside >= most) return new Promise((go) => waiting.push(go));
      inside += 1;
      return undefined;
    },
    leave() {
      const first = waiting.shift();
      // Its place goes to who has waited longest.
      if (first) first();
      else inside -= 1;
    },
  };
}
