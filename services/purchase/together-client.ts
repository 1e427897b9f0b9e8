import { AsyncLocalStorage } from 'node:async_hooks';
import { createBatcher } from '@app/runtime';

const mostAtOnce = 50;

type Asked<Item> = { item: Item; token: string; inContext: <Result>(work: () => Result) => Result };

/**
 * What is asked with one token at once is one request, with one result for each item, in their order. It bears the request id
 * and the trace of the first item of its token. None waits for the answer to another.
 * @param longestPauseMs for so long at most a request waits for company after one that carried several
 */
export function togetherByToken<Item, Result>(
  longestPauseMs: number,
  send: (token: string, items: Item[]) => Promise<Result[]>,
): (item: Item, token: string) => Promise<Result | undefined> {
  async function sendAll(all: Asked<Item>[]): Promise<Promise<Result | undefined>[]> {
    const answers = new Map<Asked<Item>, Promise<Result | undefined>>();
    for (const [token, same] of Map.groupBy(all, (one) => one.token)) {
      const items = same.map(({ item }) => item);
      const sent = (same[0] as Asked<Item>).inContext(() => send(token, items));
      const resultAt = async (at: number) => (await sent)[at];
      for (const [at, one] of same.entries()) answers.set(one, resultAt(at));
    }
    return all.map((one) => answers.get(one) as Promise<Result | undefined>);
  }

  const batches = createBatcher({ maxBatch: mostAtOnce, maxDelayMs: longestPauseMs, run: sendAll });
  return async (item, token) => batches.add({ item, token, inContext: AsyncLocalStorage.snapshot() });
}
