import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

export type Page<Item> = { items: Item[]; next: string | null };

type Options<Item> = {
  key: QueryKey;
  /** `cursor` is undefined for the first page. */
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>;
  enabled?: boolean;
  refetchInterval?: number;
};

/** A list that is read page by page, as both APIs give them. `more` is null once the end was reached. */
export function usePages<Item>({ key, read, ...options }: Options<Item>) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    ...options,
  });
  return {
    query,
    items: query.data?.pages.flatMap(({ items }) => items) ?? [],
    isLoadingMore: query.isFetchingNextPage,
    more: query.hasNextPage ? () => void query.fetchNextPage() : null,
  };
}

/** The query of a page, as both APIs take it. */
export function pageQuery(cursor: string | undefined): { limit: number; cursor?: string } {
  return cursor === undefined ? { limit: 50 } : { limit: 50, cursor };
}
