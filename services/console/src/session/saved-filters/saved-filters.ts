import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call, ts } from '../../api/client.ts';
import { optional, queryClient } from '../../api/query.ts';
import { useChangePreferences, usePreferences } from '../preferences.ts';

export type FilteredList = 'tickets' | 'invoices';
export type SavedFilter = TsSchemas['SavedFilter'];

/** Those of the user, and those that the company shares. */
export function useSavedFilters(list: FilteredList) {
  const queryKey = ['saved filters', list];
  const path = `/company/filters/${list}` as const;
  const { data: filters } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await call(ts.GET(path, { signal }))).items,
    staleTime: 60_000,
    ...optional,
  });
  const change = useMutation({
    mutationFn: (request: () => Promise<unknown>) => request(),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  const { data: preferences } = usePreferences();
  const preferring = useChangePreferences();
  const defaults = (preferences?.views['defaults'] ?? {}) as Record<string, unknown>;
  return {
    /** Undefined until they are loaded. */
    filters,
    byDefault: filters?.find(({ id }) => id === defaults[list]),
    isKnown: filters !== undefined && preferences !== undefined,
    error: change.error ?? preferring.error,
    isPending: change.isPending || preferring.isPending,
    /** Replaces the user's own of that name. */
    save: ({ name, query, shared }: Pick<SavedFilter, 'name' | 'query' | 'shared'>) =>
      change.mutateAsync(() => call(ts.PUT(path, { body: { name, query, shared } }))),
    remove: ({ id }: SavedFilter) =>
      change.mutateAsync(() => call(ts.DELETE(`${path}/{id}`, { params: { path: { id } } }))),
    /** Null: the page shows all again. */
    setDefault: (filter: SavedFilter | null) =>
      preferring.mutateAsync({
        views: { ...preferences?.views, defaults: { ...defaults, [list]: filter?.id ?? null } },
      }),
  };
}

/** Whoever comes to the page without a query gets the default. */
export function useDefaultFilter(list: FilteredList): void {
  const [page, navigate] = useLocation();
  const isBare = useRef(useSearch() === '');
  const { byDefault, isKnown } = useSavedFilters(list);
  useEffect(() => {
    if (!isBare.current || !isKnown) return;
    isBare.current = false;
    if (byDefault) navigate(`${page}?${byDefault.query}`, { replace: true });
  }, [byDefault, isKnown, navigate, page]);
}
