import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call, ts } from '../../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../../api/pages.ts';
import { queryClient } from '../../../api/query.ts';
import type { ExportFormat } from '../../../components/data-display/export-buttons.tsx';
import { deliveryStatuses } from '../../../words/status-words.ts';
import { type EventName, endpointKey } from '../endpoints.ts';
import { idlePollMs, isUnderway, pollIntervalMs, slowPollMs } from './poll-interval.ts';

export type Delivery = TsSchemas['Delivery'];
export type DeliveryStatus = Delivery['status'];
export type Filter = { status?: DeliveryStatus; event?: EventName | 'webhook.test'; since?: string; until?: string };

export const statuses = Object.keys(deliveryStatuses) as DeliveryStatus[];
/** Whether it is the delivery of a test, which is sent once: it is neither retried nor sent again. */
export const isTest = ({ event }: Pick<Delivery, 'event'>) => event === 'webhook.test';
const keyOf = (endpointId: string, ...rest: unknown[]) => [...endpointKey(endpointId), 'deliveries', ...rest];

/** The log, newest first. While a delivery is pending, the log is read again soon. */
export function useDeliveries(id: string, filter: Filter) {
  const queryKey = keyOf(id, filter);
  const known = queryClient.getQueryData<{ pages: { items: Delivery[] }[] }>(queryKey);
  const isWaiting = known?.pages.some(({ items }) => items.some(isUnderway)) ?? false;
  return usePages<Delivery>({
    key: queryKey,
    read: (cursor, signal) => {
      const params = { path: { id }, query: { ...pageQuery(cursor), ...listed(filter) } };
      return pageOf(ts.GET('/webhooks/endpoints/{id}/deliveries', { params, signal }));
    },
    refetchInterval: isWaiting ? slowPollMs : idlePollMs,
  });
}

/** The API takes several statuses and events. */
function listed({ status, event, ...times }: Filter) {
  return { ...times, ...(status && { status: [status] }), ...(event && { event: [event] }) };
}

/** The log as a file. */
export function readSheet(id: string, filter: Filter, format: ExportFormat): Promise<Blob> {
  const params = { path: { id }, query: { ...listed(filter), ...format } };
  return call(ts.GET('/webhooks/endpoints/{id}/deliveries/export', { params, parseAs: 'blob' }));
}

export function useDelivery(id: string, deliveryId: string) {
  return useQuery({
    queryKey: keyOf(id, deliveryId),
    queryFn: ({ signal }) =>
      call(
        ts.GET('/webhooks/endpoints/{id}/deliveries/{deliveryId}', {
          params: { path: { id, deliveryId } },
          signal,
        }),
      ),
    refetchInterval: ({ state: { data } }) => (data ? pollIntervalMs(data, Date.now()) : idlePollMs),
  });
}

export function useRedeliver(id: string, deliveryId: string) {
  const path = { id, deliveryId };
  return useMutation({
    mutationFn: () => call(ts.POST('/webhooks/endpoints/{id}/deliveries/{deliveryId}/redeliver', { params: { path } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(id) }),
  });
}

type ResendFilter = { status: Exclude<DeliveryStatus, 'pending'>; event?: EventName; since?: string; until?: string };

/** Starts a job that sends all deliveries of the filter again. */
export function useResend(id: string) {
  return useMutation({
    mutationFn: (body: ResendFilter) =>
      call(ts.POST('/webhooks/endpoints/{id}/redeliveries', { params: { path: { id } }, body })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(id) }),
  });
}

/** The progress of such a job. */
export function useResendJob(id: string, redeliveryId: string | null) {
  return useQuery({
    queryKey: [...endpointKey(id), 'redeliveries', redeliveryId],
    enabled: redeliveryId !== null,
    queryFn: ({ signal }) =>
      call(
        ts.GET('/webhooks/endpoints/{id}/redeliveries/{redeliveryId}', {
          params: { path: { id, redeliveryId: redeliveryId ?? '' } },
          signal,
        }),
      ),
    refetchInterval: ({ state: { data } }) => (data && data.state !== 'running' ? false : 2_000),
  });
}
