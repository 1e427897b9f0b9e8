import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { type Answer, call } from './client.ts';
import { retryWhenLimited } from './concurrent-requests.ts';

export type Page<Item> = { items: Item[]; next: string | null };

type Options<Item> = {
  key: QueryKey;
  /** `cursor` is undefined for the first page. */
  read: (cursor: string | undefined, signal: AbortSignal, limit?: number) => Promise<Page<Item>>;
  enabled?: boolean;
  refetchInterval?: number | false | ((items: Item[]) => number | false);
  staleTime?: number;
};

/** What the API gives at once. */
const mostOnPage = 200;

/** A list that is read page by page, as both APIs give them. `more` is null once the end was reached. */
export function usePages<Item>({ key, read, refetchInterval = false, ...options }: Options<Item>) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) =>
      typeof refetchInterval === 'function' ? refetchInterval(itemsOf(state.data?.pages)) : refetchInterval,
    ...options,
  });
  return {
    query,
    items: itemsOf(query.data?.pages),
    isLoadingMore: query.isFetchingNextPage,
    more: query.hasNextPage ? () => void query.fetchNextPage() : null,
    /** Reads it as a whole, for a file. */
    all: () => {
      const { signal } = new AbortController();
      return allPages((cursor) => retryWhenLimited(() => read(cursor, signal, mostOnPage)), Number.POSITIVE_INFINITY);
    },
  };
}

function itemsOf<Item>(pages: Page<Item>[] = []): Item[] {
  return pages.flatMap(({ items }) => items);
}

/** A page of the second API. */
export async function pageOf<Item>(
  request: Promise<Answer<{ items: Item[]; nextCursor?: string | null }>>,
): Promise<Page<Item>> {
  const { items, nextCursor } = await call(request);
  return { items, next: nextCursor ?? null };
}

/** The query of a page, as both APIs take it. */
export function pageQuery(cursor: string | undefined, limit = 50): { limit: number; cursor?: string } {
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** Reads a list as a whole, at most its first `maxPages` pages. */
export async function allPages<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  maxPages = 20,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const found = await read(cursor);
    items.push(...found.items);
    if (found.next === null) break;
    cursor = found.next;
  }
  return items;
}
