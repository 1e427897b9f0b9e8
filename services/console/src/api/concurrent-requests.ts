import { ApiError } from './errors.ts';

/** Requests under way: more would use up what the API takes of one address. */
export const atOnce = 4;
const tries = 3;

/** Does the work for each, some at a time and in order. `isOver` ends it early: what has not begun then is not done. */
export async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined && !isOver(); item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** What was refused for being too much was not done: it waits and asks again. */
export async function retryWhenLimited<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || attempt === tries) throw error;
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfterS ?? 1) * 1000));
    }
  }
}
