/** Waits for a moment of the story; it comes once no other life has an earlier one. */
export type Until = (moment: Date) => Promise<void>;

/** At `real` the story was at `told`, both in milliseconds since 1970. */
export type Mark = { real: number; told: number };

type Waiting = { moment: number; wake: () => void; fail: (error: unknown) => void };

/**
 * Lives many lives at once, `atOnce` of them between two waits, their moments in the order of the story and without the time between them.
 * @returns when each moment was, ascending in both times
 */
export async function playInOrder(
  lives: readonly ((until: Until) => Promise<void>)[],
  { atOnce, signal }: { atOnce: number; signal: AbortSignal },
): Promise<Mark[]> {
  const waiting: Waiting[] = [];
  const marks: Mark[] = [];
  let running = lives.length;
  const stopped = new AbortController();
  const wakeNext = () => {
    while (running < atOnce && waiting.length > 0) {
      const earliest = waiting.reduce(
        (best, { moment }, index) => (moment < (waiting[best]?.moment ?? 0) ? index : best),
        0,
      );
      const [{ moment, wake, fail }] = waiting.splice(earliest, 1) as [Waiting];
      running += 1;
      if (stopped.signal.aborted || signal.aborted) fail(stopped.signal.reason ?? signal.reason);
      else {
        marks.push({ real: Date.now(), told: Math.max(moment, marks.at(-1)?.told ?? 0) });
        wake();
      }
    }
  };
  const stand = () => {
    running -= 1;
    wakeNext();
  };
  const until: Until = (moment) =>
    new Promise((wake, fail) => {
      waiting.push({ moment: moment.getTime(), wake, fail });
      stand();
    });
  const ends = await Promise.allSettled(
    lives.map((live) =>
      live(until)
        .catch((error: unknown) => {
          stopped.abort(error);
          throw error;
        })
        .finally(stand),
    ),
  );
  if (stopped.signal.aborted) throw stopped.signal.reason;
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return marks;
}

/** When something that happened at `real` happens in the story; null before it and `tailMs` after it. */
export function toldAt(marks: readonly Mark[], real: number, tailMs = 120_000): number | null {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last || real < first.real || real > last.real + tailMs) return null;
  let [low, high] = [0, marks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((marks[middle]?.real ?? 0) <= real) low = middle;
    else high = middle - 1;
  }
  const [before, after] = [marks[low] as Mark, marks[low + 1]];
  if (!after) return before.told + (real - before.real);
  const part = (real - before.real) / Math.max(1, after.real - before.real);
  return Math.round(before.told + part * (after.told - before.told));
}
