import { type DeliveryStatus, deliveryStatuses, type LogFilter } from '../deliveries/delivery.ts';

/** `stopped`: the endpoint was deactivated or deleted meanwhile. */
export const redeliveryStates = ['running', 'done', 'stopped'] as const;
type RedeliveryState = (typeof redeliveryStates)[number];

/** The statuses that a job may send again. Pending deliveries are attempted anyway. */
export const redeliverableStatuses = deliveryStatuses.filter((status) => status !== 'pending');

/** Selects deliveries that were created before the job. */
type RedeliveryFilter = LogFilter & { status: DeliveryStatus; until: Date };

/** A job that sends again all deliveries of an endpoint that a filter finds, page by page, the newest first. */
export type Redelivery = {
  id: string;
  companyId: string;
  endpointId: string;
  filter: RedeliveryFilter;
  state: RedeliveryState;
  /** Deliveries that the filter found when the job was made; at most `countedAtMost`. */
  total: number;
  processed: number;
  /** How many of the processed ones are attempted again. The others were sent meanwhile, or are being retried. */
  queued: number;
  /** Where the next page begins. */
  cursor: string | null;
  createdAt: Date;
  endedAt: Date | null;
};

export const countedAtMost = 100_000;

type Given = { id: string; companyId: string; endpointId: string; filter: LogFilter & { status: DeliveryStatus } };

/** A job that finds nothing is done at once. */
export function newRedelivery({ filter, ...ids }: Given, total: number, at: Date): Redelivery {
  const until = filter.until && filter.until < at ? filter.until : at;
  const isEmpty = total === 0;
  return {
    ...ids,
    filter: { ...filter, until },
    state: isEmpty ? 'done' : 'running',
    total,
    processed: 0,
    queued: 0,
    cursor: null,
    createdAt: at,
    endedAt: isEmpty ? at : null,
  };
}

/** The job as the API gives it. */
export function redeliveryResponse({ id, filter, state, total, processed, queued, createdAt, endedAt }: Redelivery) {
  const { since, until, ...rest } = filter;
  return {
    id,
    state,
    total,
    processed,
    queued,
    filter: { ...rest, ...(since ? { since: since.toISOString() } : {}), until: until.toISOString() },
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
