import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { externalValue } from '../settings/external-value.ts';
import { ApiError, isPassing } from './errors.ts';
import { isInProgress } from './idempotency.ts';

/** True once a request was refused because the session is over: the shell then asks for the password in a dialog. */
export const sessionExpired = externalValue(false);

const tries = 3;
/** Options of a query that is repeated while the page is visible: `useQuery({ …, ...whileVisible })`. */
export const whileVisible = { refetchInterval: 30_000 } as const;

/** What a page can do without, and does not tell of by itself: the bar above it says that it is missing. `useQuery({ …, ...aside })`. */
export const aside = { meta: { isAside: true } } as const;

function noteEndOfSession(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) sessionExpired.set(true);
}

function delayOf(attempt: number, error: unknown): number {
  const retryAfterS = error instanceof ApiError ? error.retryAfterS : null;
  return retryAfterS === null ? 500 * 2 ** attempt : retryAfterS * 1000 + 200 * Math.random();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Signed-out users read the session, too: their 401 does not mean that one is over.
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
      // A mutation is repeated only after a 429, since it was then not carried out, and while it is in progress, since its answer comes soon.
      // Anything else the user repeats.
      retry: (failures, error) =>
        failures < tries && error instanceof ApiError && (error.status === 429 || isInProgress(error)),
      retryDelay: delayOf,
      networkMode: 'always',
    },
  },
});

/** Shown, but failed at its last reading: it is missing, or what is shown of it is old. */
function isBehind(query: Query): boolean {
  const { status, error, data } = query.state;
  if (status !== 'error' || !query.isActive()) return false;
  const isOver = error instanceof ApiError && error.status === 401;
  return !isOver && (data !== undefined || query.meta?.['isAside'] === true);
}

const failing = { type: 'active', predicate: isBehind } as const;
const cache = queryClient.getQueryCache();
const subscribe = (listener: () => void) => cache.subscribe(listener);
const isPartBehind = () => cache.findAll(failing).length > 0;

/** Whether a part of the page is missing or old without saying so itself, and how to read it again. */
export function usePartBehind(): { isBehind: boolean; retry: () => void } {
  return {
    isBehind: useSyncExternalStore(subscribe, isPartBehind),
    retry: () => void queryClient.refetchQueries(failing),
  };
}
