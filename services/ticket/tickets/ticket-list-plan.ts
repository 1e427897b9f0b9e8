import type { CompanyKind } from '@app/contracts';
import { type Status, statuses, type Ticket, typologies } from './ticket.ts';
import { bucketsAfter } from './ticket-buckets.ts';

/** The company that reads. */
export type Viewer = { companyId: string; companyKind: CompanyKind };

/** The query of the ticket list (spec section 4.1), read: times are dates, lists are lists. */
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

/** What makes a ticket visible to a company: a view of its own. A removed ticket is gone for contractors. */
export function visibleTo({ companyId, companyKind }: Viewer): Filter {
  const gone = companyKind === 'contractor' ? { status: { $ne: 'removed' } } : {};
  return { views: { $elemMatch: { company_id: companyId, ...gone } } };
}

/** The same rule, for a ticket that is at hand. */
export function sees({ companyId, companyKind }: Viewer, { views }: Pick<Ticket, 'views'>): boolean {
  return views.some(
    ({ company_id, status }) => company_id === companyId && (companyKind !== 'contractor' || status !== 'removed'),
  );
}

/** A MongoDB filter and the index that serves it, so that no combination of filters ever scans or sorts (design section 5). */
export type Plan = { filter: Filter; hint: string };

/** The tickets of a list in order of their ids, from the cursor on: each index gives them so. */
export function listPlan(query: ListQuery, viewer: Viewer, now: Date): Plan {
  const { updated_after, assigned_after } = query;
  const filter = listFilter(query, viewer);
  const wanted = updated_after ?? assigned_after;
  if (!wanted) return { filter, hint: indexFor(query) };
  const buckets = bucketsAfter(wanted, now);
  // So long ago that nearly all of them match.
  if (!buckets) return { filter, hint: indexFor(query) };
  const within = { $in: buckets };
  if (updated_after) return { filter: { ...filter, updated_bucket: within }, hint: 'updated_in_order' };
  return { filter: { ...filter, assigned_bucket: within }, hint: 'assigned_in_order' };
}

/**
 * All tickets of a window of time, in the order in which they changed, for one that may fit into a page: most do, and are read
 * and sorted sooner than merged. Null where anything else is asked as well, which would have more of them read than given.
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
    // With every typology named, each branch of the index is in order of `_id` and the branches are merged, not sorted.
    filter['typology_id'] ??= { $in: allTypologies };
  }
  return filter;
}

function indexFor(query: ListQuery): string {
  if (query.status) return 'status';
  if (query.client_id) return 'client';
  return wantedTypologies(query) ? 'typology' : 'view';
}

/** The typologies that all given filters leave; null: any. */
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
 * An id begins with the second of its making, so a time of creation bounds the ids: the list stays in index order.
 * The exact millisecond is left to `created_at`.
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
