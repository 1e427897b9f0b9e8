import { MutationObserver } from '@tanstack/react-query';
import { queryClient } from './query.ts';

/** How many requests run at once: more would use up the API's limit for one address. */
export const atOnce = 4;

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

/** Sends one of many requests. It is repeated as any mutation is: after a 429, since it was not carried out. */
export function retryWhenLimited<T>(request: () => Promise<T>): Promise<T> {
  return new MutationObserver<T>(queryClient, { mutationFn: request }).mutate();
}
