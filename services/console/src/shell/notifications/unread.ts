import { focusManager, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call, ts } from '../../api/client.ts';
import { optional, queryClient, whileVisible } from '../../api/query.ts';
import { externalValue, useExternalValue } from '../../settings/external-value.ts';

export const listKey = ['notifications', 'list'];
const countKey = ['notifications', 'count'];

/** Whether the count comes by itself: otherwise it is asked for from time to time. */
const isStreamed = externalValue(false);

/** How many notifications are unread; undefined: not known yet. */
export function useUnread(): number | undefined {
  const { data } = useQuery({
    queryKey: countKey,
    queryFn: ({ signal }) => call(ts.GET('/notifications/count', { signal })),
    ...whileVisible,
    ...(useExternalValue(isStreamed) && { refetchInterval: false }),
    ...optional,
  });
  return data?.unread;
}

/**
 * Has the count told as it changes, over one request that stays open; `isDrawn`: the page needs nothing else before. Only while somebody
 * looks at the page: a browser opens few requests at once to a host, for all its tabs together.
 */
export function useStream(isDrawn: boolean): void {
  useEffect(() => {
    if (!isDrawn) return undefined;
    let stream: EventSource | null = null;
    const close = () => {
      stream?.close();
      stream = null;
      isStreamed.set(false);
    };
    const follow = () => {
      if (!focusManager.isFocused()) return close();
      // A browser opens it again by itself, unless it was refused.
      if (stream && stream.readyState !== EventSource.CLOSED) return;
      stream = new EventSource('/notifications/stream');
      stream.onopen = () => isStreamed.set(true);
      stream.onerror = () => isStreamed.set(false);
      stream.addEventListener('notification', ({ data }) => {
        queryClient.setQueryData(countKey, JSON.parse(data));
        void queryClient.invalidateQueries({ queryKey: listKey });
      });
    };
    follow();
    const unsubscribe = focusManager.subscribe(follow);
    return () => {
      unsubscribe();
      close();
    };
  }, [isDrawn]);
}

/** Marks some notifications as read, or all. */
export function useMarkRead() {
  return useMutation({
    mutationFn: (body: { ids: string[] } | { all: true }) => call(ts.POST('/notifications/read', { body })),
    onSuccess: (count) => {
      queryClient.setQueryData(countKey, count);
      return queryClient.invalidateQueries({ queryKey: listKey });
    },
  });
}
