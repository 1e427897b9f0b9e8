import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { optional, queryClient, useChange, whileVisible } from '../../api/query.ts';
import type { Access } from './access.ts';

export type Connection = TsSchemas['InvoiceConnection'];
export type Provider = TsSchemas['InvoiceProvider'];
export type Failure = TsSchemas['InvoiceFetchFailure'];

const connectionsKey = ['connections'];
/**
 * Not below the key of the connections: after a deletion, refreshing those must not ask for the failures of the
 * deleted one.
 */
const failuresKey = ['failures of connections'];

export function useConnections() {
  return usePages({
    key: connectionsKey,
    read: async (_cursor, signal) => {
      const items = await call(ts.GET('/invoice-connections', { signal }));
      return { items, next: null };
    },
    ...whileVisible,
  });
}

/** The providers that the platform can connect to. */
export function useProviders(more: Partial<typeof optional> = {}) {
  return useQuery({
    ...more,
    queryKey: ['providers'],
    queryFn: ({ signal }) => call(ts.GET('/invoice-providers', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * A function that gives the name of a provider by its key; until the names are loaded, `otherwise`.
 */
export function useProviderName(): (key: string, otherwise?: string) => string {
  const { data } = useProviders(optional);
  return (wanted, otherwise = wanted) => {
    if (!data) return otherwise;
    return data.find(({ key }) => key === wanted)?.name ?? wanted;
  };
}

export function useAddConnection() {
  return useChange(connectionsKey, (body: Access & { provider: string }) =>
    call(ts.POST('/invoice-connections', { body })),
  );
}

function changeConnection(id: string, body: Access & { active?: boolean }): Promise<Connection> {
  return call(ts.PATCH('/invoice-connections/{id}', { params: { path: { id } }, body }));
}

export function useChangeConnection() {
  return useChange(connectionsKey, ({ id, ...body }: Access & { id: string; active?: boolean }) =>
    changeConnection(id, body),
  );
}

export function useDeleteConnection() {
  return useChange(connectionsKey, (id: string) =>
    call(ts.DELETE('/invoice-connections/{id}', { params: { path: { id } } })),
  );
}

export function useFailures(id: string) {
  return usePages({
    key: [...failuresKey, id],
    read: (cursor, signal) => {
      const params = { path: { id }, query: pageQuery(cursor) };
      return pageOf(ts.GET('/invoice-connections/{id}/failures', { params, signal }));
    },
    refetchInterval: whileRetrying,
  });
}

const retryingEveryMs = 2_000;

/** The polling interval in ms while an invoice is being tried again, which ends by itself; else false. */
function whileRetrying(failures: Failure[]): number | false {
  return failures.some(({ retrying }) => retrying) && retryingEveryMs;
}

export function useRetry(id: string) {
  return useChange(failuresKey, (failureId: string) =>
    call(ts.POST('/invoice-connections/{id}/failures/{failureId}/retry', { params: { path: { id, failureId } } })),
  );
}

export function useDismiss(id: string) {
  return useMutation({
    mutationFn: (failureId: string) =>
      call(ts.DELETE('/invoice-connections/{id}/failures/{failureId}', { params: { path: { id, failureId } } })),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: connectionsKey });
      return queryClient.invalidateQueries({ queryKey: failuresKey });
    },
  });
}
