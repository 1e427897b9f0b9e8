import type { CompanyKind } from '@app/contracts';
import { type Status, statuses, type Ticket, typologies } from './ticket.ts';

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

/**
 * The MongoDB filter of a list and the index that serves it, so that no combination of filters ever scans
 * (design section 5). Every index but `updated` and `assigned` gives the tickets in order of `_id`; those two sort what
 * falls in their window, which the spec asks callers to keep short.
 */
export function listPlan(query: ListQuery, viewer: Viewer): { filter: Filter; hint: string } {
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
  return { filter, hint: indexFor(query, typologyIds) };
}

function indexFor(query: ListQuery, typologyIds: string[] | null): string {
  if (query.updated_after) return 'updated';
  if (query.assigned_after) return 'assigned';
  if (query.status) return 'status';
  if (query.client_id) return 'client';
  return typologyIds ? 'typology' : 'view';
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
