import { type Status, statuses, type Ticket, typologies } from './ticket.ts';
import { type Viewer, visibleTo } from './visibility.ts';

/** The parsed query of the ticket list. */
export type ListQuery = {
  limit: number;
  cursor?: string;
  created_after?: Date;
  created_before?: Date;
  updated_after?: Date;
  assigned_after?: Date;
  client_id?: string;
  interventions?: boolean;
  maintenances?: boolean;
  status?: string[];
  typology?: string;
};

type Filter = Record<string, unknown>;

const allTypologies = Object.values(typologies) as string[];

/** A MongoDB filter and the index that serves it: no combination of filters scans the collection or sorts. */
export type Plan = { filter: Filter; hint: string };

/** The plan of a page in ascending order of ids, which each of the indexes provides. */
export function listPlan(query: ListQuery, viewer: Viewer, now: Date): Plan {
  const { updated_after, assigned_after } = query;
  const filter = listFilter(query, viewer);
  const wanted = updated_after ?? assigned_after;
  if (!wanted) return { filter, hint: indexFor(query) };
  const buckets = bucketsAfter(wanted, now);
  // So long ago that nearly every ticket matches.
  if (!buckets) return { filter, hint: indexFor(query) };
  const within = { $in: buckets };
  if (updated_after) return { filter: { ...filter, updated_bucket: within }, hint: 'updated_in_order' };
  return { filter: { ...filter, assigned_bucket: within }, hint: 'assigned_in_order' };
}

/**
 * The plan for all tickets of a time window, in the order in which they changed. Most windows fit into one page: reading and
 * sorting them is then faster than merging buckets. Null if the query has other filters, with which far more tickets would
 * be read than returned.
 */
export function windowPlan({ limit: _, ...query }: ListQuery, viewer: Viewer): Plan | null {
  if (Object.values(query).filter((given) => given !== undefined && given !== false).length > 1) return null;
  if (!query.updated_after && !query.assigned_after) return null;
  return { filter: listFilter({ limit: 0, ...query }, viewer), hint: query.updated_after ? 'updated' : 'assigned' };
}

function listFilter(query: ListQuery, viewer: Viewer): Filter {
  const typologyIds = wantedTypologies(query);
  const filter: Filter = {
    ...visibleTo(viewer),
    ...idRange(query),
    ...createdRange(query),
    ...(query.client_id ? { client_id: query.client_id } : {}),
    ...(query.updated_after ? { updated_at: { $gt: query.updated_after } } : {}),
    ...(query.assigned_after ? { assigned_at: { $gt: query.assigned_after } } : {}),
    ...(typologyIds ? { typology_id: { $in: typologyIds } } : {}),
  };
  if (query.status) {
    const wanted = statuses.filter((status: Status) => query.status?.includes(status));
    const seen = viewer.companyKind === 'contractor' ? wanted.filter((status) => status !== 'removed') : wanted;
    filter['views'] = { $elemMatch: { company_id: viewer.companyId, status: { $in: seen } } };
    // With every typology named, each branch of the index is ordered by `_id`, so MongoDB merges them and does not sort.
    filter['typology_id'] ??= { $in: allTypologies };
  }
  return filter;
}

function indexFor(query: ListQuery): string {
  if (query.status) return 'status';
  if (query.client_id) return 'client';
  return wantedTypologies(query) ? 'typology' : 'view';
}

/** The typologies that match all given filters; null: any. */
function wantedTypologies({ typology, interventions, maintenances }: ListQuery): string[] | null {
  if (typology === undefined && !interventions && !maintenances) return null;
  return allTypologies.filter(
    (id) =>
      (typology === undefined || id === typology) &&
      (!interventions || id !== typologies.maintenance) &&
      (!maintenances || id === typologies.maintenance),
  );
}

/**
 * An id begins with the second of its creation, so a range of creation times is a range of ids and the list stays in index
 * order. `created_at` then compares the milliseconds.
 */
function idRange({ cursor, created_after, created_before }: ListQuery): Filter {
  const lower = [cursor ? { $gt: cursor } : null, created_after ? { $gte: firstIdOf(created_after) } : null];
  const upper = created_before ? [{ _id: { $lt: firstIdOf(new Date(created_before.getTime() + 1000)) } }] : [];
  const bounds = [...lower.flatMap((bound) => (bound ? [{ _id: bound }] : [])), ...upper];
  return bounds.length === 0 ? {} : { $and: bounds };
}

function createdRange({ created_after, created_before }: ListQuery): Filter {
  if (!created_after && !created_before) return {};
  return {
    created_at: {
      ...(created_after ? { $gte: created_after } : {}),
      ...(created_before ? { $lt: created_before } : {}),
    },
  };
}

function firstIdOf(at: Date): string {
  const seconds = Math.min(Math.max(Math.floor(at.getTime() / 1000), 0), 0xffffffff);
  return seconds.toString(16).padStart(8, '0').padEnd(24, '0');
}

/**
 * A bucket is a period of two days, counted from 1970. The index holds the tickets of each bucket in order of their ids, so
 * that MongoDB merges the tickets of several buckets instead of sorting them.
 */
export type Buckets = { updated_bucket: number; assigned_bucket: number | null };

export const bucketMs = 2 * 86_400_000;

export function bucketOf(at: Date): number {
  return Math.floor(at.getTime() / bucketMs);
}

export function bucketsOf({ updated_at, assigned_at }: Pick<Ticket, 'updated_at' | 'assigned_at'>): Buckets {
  return { updated_bucket: bucketOf(updated_at), assigned_bucket: assigned_at && bucketOf(assigned_at) };
}

/** MongoDB merges at most about 200 branches of an index; more of them it sorts. */
const maxMergedBuckets = 190;
/** Buckets after the current one, for clocks that are ahead. */
const bucketsAhead = 5;

/**
 * The buckets from `time` on, and null for tickets that have no bucket yet. Null instead of a list if there are too many to
 * merge, after a little over a year.
 */
export function bucketsAfter(time: Date, now: Date): (number | null)[] | null {
  const [first, last] = [bucketOf(time), bucketOf(now) + bucketsAhead];
  const count = Math.max(last - first + 1, 0);
  return count > maxMergedBuckets ? null : [null, ...Array.from({ length: count }, (_, index) => first + index)];
}
