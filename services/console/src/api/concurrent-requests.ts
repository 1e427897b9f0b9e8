import { ApiError, isSoonTaken } from './errors.ts';

/** How many requests run at once: more would use up the API's limit for one address. */
export const atOnce = 4;
const tries = 3;

/**
 * Calls `work` for each item, in order, `atOnce` at a time. Once `isOver` returns true, no further
 * item is begun.
 */
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

/**
 * Repeats a request that was refused with 429, and so not carried out, after the time that the API
 * asks for.
 */
export async function retryWhenLimited<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || !isSoonTaken(error) || attempt === tries) throw error;
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfterS ?? 1) * 1000));
    }
  }
}
