import { MutationCache, type Query, QueryCache, QueryClient, type QueryKey, useMutation } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { externalValue } from '../settings/external-value.ts';
import { ApiError, isPassing, isSoonTaken } from './errors.ts';
import { isInProgress } from './idempotency.ts';

/** True once a request was refused because the session is over: the shell then asks for the password in a dialog. */
export const sessionExpired = externalValue(false);

const tries = 3;
/** Options of a query that is repeated while the page is visible and somebody is there: `useQuery({ …, ...whileVisible })`. */
export const whileVisible = { refetchInterval: 30_000 } as const;

/**
 * Options of a query without whose data the page still works, and which shows no error of its own:
 * a bar above the page says that a part is missing. `useQuery({ …, ...optional })`.
 */
export const optional = { meta: { isOptional: true } } as const;

function noteEndOfSession(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) sessionExpired.set(true);
}

function delayOf(attempt: number, error: unknown): number {
  const retryAfterS = error instanceof ApiError ? error.retryAfterS : null;
  return retryAfterS === null ? 500 * 2 ** attempt : retryAfterS * 1000 + 200 * Math.random();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A user who is not signed in reads the session, too: that 401 does not mean that a session has
    // ended.
    onError: (error, query) => query.queryKey[0] !== 'session' && noteEndOfSession(error),
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => meta?.['isSignIn'] !== true && noteEndOfSession(error),
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < tries && error instanceof ApiError && isPassing(error),
      retryDelay: delayOf,
    },
    mutations: {
      // A mutation is repeated after a 429, since it was not carried out, and while an earlier
      // request with its key is in progress, since that is answered soon. Anything else the user
      // repeats.
      retry: (failures, error) =>
        failures < tries && error instanceof ApiError && (isSoonTaken(error) || isInProgress(error)),
      retryDelay: delayOf,
      networkMode: 'always',
    },
  },
});

/** A mutation after which everything below `queryKey` is read again. */
export function useChange<Input, Output>(queryKey: QueryKey, mutationFn: (input: Input) => Promise<Output>) {
  return useMutation({ mutationFn, onSuccess: () => queryClient.invalidateQueries({ queryKey }) });
}

/** Whether a query is shown, and its last reading failed: its data is missing or out of date. */
function isMissingOrStale(query: Query): boolean {
  const { status, error, data } = query.state;
  if (status !== 'error' || !query.isActive()) return false;
  const isOver = error instanceof ApiError && error.status === 401;
  return !isOver && (data !== undefined || query.meta?.['isOptional'] === true);
}

const failing = { type: 'active', predicate: isMissingOrStale } as const;
const cache = queryClient.getQueryCache();
const subscribe = (listener: () => void) => cache.subscribe(listener);
const isPartMissingOrStale = () => cache.findAll(failing).length > 0;

/**
 * Whether a part of the page is missing or out of date and does not say so itself; `retry` reads it
 * again.
 */
export function usePartMissingOrStale(): { isMissingOrStale: boolean; retry: () => void } {
  return {
    isMissingOrStale: useSyncExternalStore(subscribe, isPartMissingOrStale),
    retry: () => void queryClient.refetchQueries(failing),
  };
}
