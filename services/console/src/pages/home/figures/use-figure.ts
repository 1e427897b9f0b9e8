import { useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../../../api/client.ts';

/** The answer of an operation of `/statistics`; `key` tells questions apart. */
export function useFigure<T>(key: string, read: (signal: AbortSignal) => Promise<Answer<T>>) {
  return useQuery({
    queryKey: ['statistics', key],
    queryFn: ({ signal }) => call(read(signal)),
    // They change within seconds, but nobody watches them: focus reads them again.
    staleTime: 60_000,
  });
}
