/** Waits for a moment of the story; it comes once no other life has an earlier one. */
export type Until = (moment: Date) => Promise<void>;

/** At `real` the story was at `told`, both in milliseconds since 1970. */
export type Mark = { real: number; told: number };

type Waiting = { moment: number; wake: () => void; fail: (error: unknown) => void };

/** How far a life may be ahead of another one that is at work. */
const aheadMs = 86_400_000;

/**
 * Lives many lives, their moments in the order of the story and without the time between them. At most `atOnce` are at work
 * between two waits, and none a day ahead of another, so that a slow call does not come late in the story.
 * @returns when each moment was, ascending in both times
 */
export async function playInOrder(
  lives: readonly ((until: Until) => Promise<void>)[],
  { atOnce, signal }: { atOnce: number; signal: AbortSignal },
): Promise<Mark[]> {
  const waiting: Waiting[] = [];
  const marks: Mark[] = [];
  /** The moment of each life that is at work; none before its first wait. */
  const working = new Map<object, number>(lives.map((live) => [live, Number.NEGATIVE_INFINITY]));
  const stopped = new AbortController();
  const stop = AbortSignal.any([signal, stopped.signal]);
  const wakeNext = () => {
    const first = waiting.reduce((best, one) => (one.moment < best.moment ? one : best), waiting[0] as Waiting);
    if (!first || working.size >= atOnce) return;
    if (!stop.aborted && first.moment - Math.min(...working.values()) > aheadMs) return;
    waiting.splice(waiting.indexOf(first), 1);
    if (stop.aborted) first.fail(stop.reason);
    else {
      marks.push({ real: Date.now(), told: Math.max(first.moment, marks.at(-1)?.told ?? 0) });
      first.wake();
    }
    wakeNext();
  };
  const begin = async (live: (until: Until) => Promise<void>) => {
    const until: Until = (moment) =>
      new Promise((resolve, fail) => {
        working.delete(live);
        const wake = () => {
          working.set(live, moment.getTime());
          resolve();
        };
        waiting.push({ moment: moment.getTime(), wake, fail });
        wakeNext();
      });
    try {
      await live(until);
    } catch (error) {
      stopped.abort(error);
    } finally {
      working.delete(live);
      wakeNext();
    }
  };
  await Promise.all(lives.map(begin));
  stop.throwIfAborted();
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
  const { real: begun, told } = marks[low] as Mark;
  // A call takes as long in the story as it took.
  return Math.min(told + real - begun, marks[low + 1]?.told ?? Number.POSITIVE_INFINITY);
}
