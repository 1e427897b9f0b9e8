import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { externalValue } from '../settings/external-value.ts';
import { ApiError, isPassing } from './errors.ts';

/** True once a request was refused because the session is over: the frame then asks for the password, over the page. */
export const sessionIsOver = externalValue(false);

const tries = 3;
/** A list that is looked at: `useQuery({ …, ...whileVisible })`. */
export const whileVisible = { refetchInterval: 30_000 } as const;

function noteEndOfSession(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) sessionIsOver.set(true);
}

function delayOf(attempt: number, error: unknown): number {
  const retryAfterS = error instanceof ApiError ? error.retryAfterS : null;
  return retryAfterS === null ? 500 * 2 ** attempt : retryAfterS * 1000 + 200 * Math.random();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session itself is asked for by who is signed out, too.
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
      // What was refused for being too much was not done. Anything else is the user's to repeat.
      retry: (failures, error) => failures < tries && error instanceof ApiError && error.status === 429,
      retryDelay: delayOf,
      networkMode: 'always',
    },
  },
});
