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

/** The names of what ids stand for; `–` until they are known, or if it was deleted. */
export function useNames({ data }: { data: readonly { _id: string; name: string | null }[] | undefined }) {
  const names = new Map(data?.map(({ _id, name }) => [_id, name]));
  return (id: string) => names.get(id) ?? '–';
}
