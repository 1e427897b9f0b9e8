import type { TsSchemas } from '@app/api-client';
import { queryOptions, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { optional, queryClient, whileVisible } from '../../api/query.ts';
import { isFailing } from './endpoints/health/nothing-arrives.ts';

export type Endpoint = TsSchemas['Endpoint'];
export type EventName = Endpoint['events'][number];
export type EventType = TsSchemas['EventType'];
export type Header = { name: string; value: string };
export type EndpointInput = { name: string; url: string; events: EventName[]; headers?: Header[] };
export type EndpointPatch = Partial<EndpointInput> & { active?: boolean };

const all = ['webhooks', 'endpoints'] as const;
export const endpointKey = (id: string) => [...all, id] as const;
const pathOf = (id: string) => ({ params: { path: { id } } });

const endpointsQuery = queryOptions({
  queryKey: all,
  queryFn: async ({ signal }) => (await call(ts.GET('/webhooks/endpoints', { signal }))).items,
  ...whileVisible,
});

export function useEndpoints() {
  return useQuery(endpointsQuery);
}

export function useEndpoint(id: string, more: Partial<typeof optional> = {}) {
  return useQuery({
    ...more,
    queryKey: endpointKey(id),
    queryFn: ({ signal }) => call(ts.GET('/webhooks/endpoints/{id}', { ...pathOf(id), signal })),
    ...whileVisible,
  });
}

function lastDayQuery(id: string) {
  return queryOptions({
    queryKey: [...endpointKey(id), 'stats'],
    queryFn: ({ signal }) => call(ts.GET('/webhooks/endpoints/{id}/stats', { ...pathOf(id), signal })),
    staleTime: 60_000,
    ...optional,
  });
}

/** Attempts of the last 24 hours, one entry an hour. */
export function useLastDay(id: string) {
  return useQuery(lastDayQuery(id));
}

/** The same as far as it is known already. */
export function lastDayOf(id: string) {
  return queryClient.getQueryData(lastDayQuery(id).queryKey) ?? [];
}

/** How many endpoints fail or are disabled, as their list shows it; undefined until it is known. A company has at most ten. */
export function useFailing({ isOn }: { isOn: boolean }) {
  const { data: endpoints, error } = useQuery({ ...endpointsQuery, enabled: isOn, ...optional });
  const count = useQueries({
    queries: (endpoints ?? []).map(({ id }) => lastDayQuery(id)),
    combine: (days) => {
      if (!endpoints || days.some(({ isPending }) => isPending)) return undefined;
      return endpoints.filter((one, n) => isFailing(one, days[n]?.data ?? [])).length;
    },
  });
  return { count, error };
}

/** The event types that an endpoint may subscribe to. */
export function useEventTypes() {
  return useQuery({
    queryKey: ['webhooks', 'event-types'],
    queryFn: ({ signal }) => call(ts.GET('/webhooks/event-types', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ items, further }) => [...items, ...further].filter(({ subscribable }) => subscribable),
  });
}

/** Reads everything about endpoints again. */
const refresh = () => queryClient.invalidateQueries({ queryKey: all });

export function useCreateEndpoint() {
  return useMutation({
    mutationFn: (body: EndpointInput) => call(ts.POST('/webhooks/endpoints', { body })),
    onSettled: refresh,
  });
}

export function useChangeEndpoint(id: string) {
  return useMutation({
    mutationFn: (body: EndpointPatch) => call(ts.PATCH('/webhooks/endpoints/{id}', { ...pathOf(id), body })),
    onSettled: refresh,
  });
}

export function useDeleteEndpoint(id: string) {
  return useMutation({
    mutationFn: () => call(ts.DELETE('/webhooks/endpoints/{id}', pathOf(id))),
    // Only the list: what is below the deleted endpoint does not exist any more.
    onSettled: () => queryClient.invalidateQueries({ queryKey: all, exact: true }),
  });
}

export function useTestEndpoint(id: string) {
  return useMutation({
    mutationFn: () => call(ts.POST('/webhooks/endpoints/{id}/test', pathOf(id))),
    onSettled: refresh,
  });
}

/** Sends failed deliveries again. `dryRun` only counts them. */
export function useRecover(id: string) {
  return useMutation({
    mutationFn: (body: { since: string; dryRun?: boolean }) =>
      call(ts.POST('/webhooks/endpoints/{id}/recover', { ...pathOf(id), body })),
    onSettled: refresh,
  });
}
