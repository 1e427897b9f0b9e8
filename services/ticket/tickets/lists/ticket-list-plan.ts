import { isDeepStrictEqual } from 'node:util';
import type { Condition } from '@app/kernel';
import { type Priority, type Status, statuses, type Ticket, typologies } from '../ticket.ts';
import { type Viewer, visibleTo } from '../visibility.ts';
import { facetKeys, searchedKeys } from './list-keys.ts';

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
  /** Words of number and title. */
  q?: string;
  contractor_id?: string;
  equipment_id?: string;
  location_id?: string;
  /** At one of these: a place with those below it. */
  location_ids?: readonly string[];
  manager_id?: string;
  priority?: Priority;
  work_after?: Date;
  work_before?: Date;
  due_after?: Date;
  due_before?: Date;
  overdue?: boolean;
  quote_from?: number;
  quote_to?: number;
  counted_in?: string;
  counted_of?: string;
  counted_from?: string;
  counted_to?: string;
  /** One of these: what counts in a figure. */
  ids?: readonly string[];
  /** A column of `ticketList`; by default the order of ids. */
  sort?: string;
  /** Ascending by default. */
  order?: 'asc' | 'desc';
};

type Filter = Record<string, unknown>;

const allTypologies = Object.values(typologies) as string[];

/**
 * A MongoDB filter and the index that serves it: no combination of filters scans the collection or sorts. `rest`:
 * conditions that the index does not cover, so that more tickets may be read than returned; a page then reads at most
 * `maxRead`.
 */
export type Plan = { filter: Filter; hint: string; rest?: Filter };

/**
 * How many tickets a page reads at most. It may then have fewer tickets than asked for, or none, and a cursor where
 * the next page continues.
 */
export const maxRead = 1_000;

/** The plan of a page in order of ids, which each of the indexes provides. Places that a ticket must be at are always in the rest. */
export function listPlan(query: ListQuery, viewer: Viewer, now: Date): Plan {
  const { placeIds, ...company } = viewer;
  const narrowest = query.location_ids ?? placeIds;
  const plan =
    idsPlan(query, company) ??
    quotePlan(query, company) ??
    (narrowest && placesPlan(query, company, narrowest)) ??
    companyPlan(query, company, now);
  const places = [placeIds, query.location_ids].flatMap((ids) => (ids ? [{ location_ids: { $in: ids } }] : []));
  const both = [...places, ...dueConditions(query, company, now)];
  const all = both.length === 0 ? {} : { $and: both };
  const unindexed = { ...all, ...workRange(query), ...quoteRange(query) };
  return Object.keys(unindexed).length === 0 ? plan : { ...plan, rest: { ...plan.rest, ...unindexed } };
}

/** The conditions of a list in another order. */
export function conditionsOf(query: ListQuery, viewer: Viewer, now: Date): Condition[] {
  const { cursor: _, order: __, ...wanted } = query;
  const { filter, hint, rest } = listPlan(wanted, viewer, now);
  // The index of all its tickets finds nothing quicker.
  const found = hint === 'view' ? { filter } : { filter, index: hint };
  return [found, ...(rest ? [{ filter: rest }] : [])];
}

function workRange({ work_after, work_before }: ListQuery): Filter {
  const range = { ...(work_after && { $gte: work_after }), ...(work_before && { $lt: work_before }) };
  return work_after || work_before ? { work_at: range } : {};
}

/** A contractor that does not have the ticket must not learn when its clocks stand. */
function dueConditions(
  { due_after, due_before, overdue, sort }: ListQuery,
  { companyId, companyKind }: Viewer,
  now: Date,
): Filter[] {
  const isAsked = due_after || due_before || overdue;
  const before = overdue && (!due_before || due_before > now) ? now : due_before;
  const range = { ...(due_after && { $gte: due_after }), ...(before && { $lt: before }) };
  const hides = companyKind === 'contractor' && (isAsked || sort === 'due_date');
  return [
    ...(isAsked ? [{ clock_due_at: range }] : []),
    ...(hides ? [{ views: { $elemMatch: { company_id: companyId, state: 'active' } } }] : []),
  ];
}

function quoteRange({ quote_from, quote_to }: ListQuery): Filter {
  if (quote_from === undefined && quote_to === undefined) return {};
  const least = quote_from === undefined ? {} : { $gte: quote_from };
  return { quote_amounts: { $elemMatch: { ...least, ...(quote_to === undefined ? {} : { $lte: quote_to }) } } };
}

/** The plan by one amount of a quote, which clients look for. A range of amounts is in no order of ids. */
function quotePlan(query: ListQuery, company: Viewer): Plan | null {
  const { quote_from: price, quote_to } = query;
  if (price === undefined || price !== quote_to || company.companyKind !== 'client') return null;
  const { $and, ...rest } = listFilter(query, company);
  const found = { client_id: company.companyId, quote_amounts: price, ...($and ? { $and } : {}) };
  return { filter: found, hint: 'quotes', rest };
}

/**
 * The plan by places, if they are few enough to merge and nothing that is more selective was asked for:
 * in the list of the company their tickets may be far apart.
 */
function placesPlan(query: ListQuery, company: Viewer, placeIds: readonly string[]): Plan | null {
  if (placeIds.length > maxMerged || query.q !== undefined || facetKeys(query).length > 0) return null;
  const { $and, ...rest } = listFilter(query, company);
  return { filter: { location_ids: { $in: placeIds }, ...($and ? { $and } : {}) }, hint: 'place', rest };
}

function idsPlan(query: ListQuery, viewer: Viewer): Plan | null {
  return query.ids ? { filter: { ...listFilter(query, viewer), _id: { $in: query.ids } }, hint: '_id_' } : null;
}

function companyPlan(query: ListQuery, viewer: Viewer, now: Date): Plan {
  return (
    searchPlan(query, viewer) ?? facetPlan(query, viewer) ?? timePlan(query, viewer, now) ?? plainPlan(query, viewer)
  );
}

function plainPlan(query: ListQuery, viewer: Viewer): Plan {
  return { filter: listFilter(query, viewer), hint: indexFor(query) };
}

/** The plan by time; null without a time, or if it is so long ago that nearly every ticket matches. */
function timePlan(query: ListQuery, viewer: Viewer, now: Date): Plan | null {
  const { updated_after, assigned_after } = query;
  const wanted = updated_after ?? assigned_after;
  const buckets = wanted ? bucketsAfter(wanted, now) : null;
  if (!buckets) return null;
  const filter = listFilter(query, viewer);
  const within = { $in: buckets };
  if (updated_after) return { filter: { ...filter, updated_bucket: within }, hint: 'updated_in_order' };
  return { filter: { ...filter, assigned_bucket: within }, hint: 'assigned_in_order' };
}

/** The plan of a search: by the most selective word; the other words and filters are the rest. */
function searchPlan(query: ListQuery, viewer: Viewer): Plan | null {
  if (query.q === undefined) return null;
  const [first = '', ...more] = searchedKeys(query.q, viewer.companyId);
  const { $and, search: _, ...others } = listFilter(query, viewer);
  const indexed = { search: first, ...($and ? { $and } : {}) };
  const rest = { ...others, ...(more.length > 0 ? { search: { $all: more } } : {}) };
  // Without other filters there is no rest: nearly all tickets with these keys are visible to the
  // company.
  const isAlone = isDeepStrictEqual(rest, visibleTo(viewer));
  return isAlone ? { filter: { ...indexed, ...rest }, hint: 'search' } : { filter: indexed, hint: 'search', rest };
}

/** The plan by the most selective of these filters, with status and typology; others are the rest. */
function facetPlan(query: ListQuery, viewer: Viewer): Plan | null {
  const [first, ...more] = facetKeys(query);
  if (first === undefined) return null;
  const all = listFilter({ ...query, status: query.status ?? [...statuses] }, viewer);
  const { client_id, updated_at, assigned_at, ...filter } = all;
  const { companyId: company_id } = viewer;
  const status = statusesSeen(query.status ?? statuses, viewer);
  const rest = {
    ...(client_id ? { client_id } : {}),
    ...(updated_at ? { updated_at } : {}),
    ...(assigned_at ? { assigned_at } : {}),
    ...(more.length > 0 ? { views: { $elemMatch: { company_id, facets: { $all: more } } } } : {}),
  };
  const indexed = { ...filter, views: { $elemMatch: { company_id, facets: first, status: { $in: status } } } };
  return { filter: indexed, hint: 'facet', ...(Object.keys(rest).length > 0 ? { rest } : {}) };
}

/**
 * The plan for all tickets of a time window, in the order in which they changed. Most windows fit into one page: reading and
 * sorting them is then faster than merging buckets. Null if the query has other filters or the viewer is
 * limited to places: far more tickets would be read than returned.
 */
export function windowPlan({ limit: _, order: __, ...query }: ListQuery, viewer: Viewer): Plan | null {
  if (viewer.placeIds) return null;
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
  const words = query.q === undefined ? [] : searchedKeys(query.q, viewer.companyId);
  if (words.length > 0) filter['search'] = { $all: words };
  const { $elemMatch: visible } = filter['views'] as { $elemMatch: Filter };
  const facets = facetKeys(query);
  const wanted = facets.length > 0 ? { facets: { $all: facets } } : {};
  filter['views'] = { $elemMatch: { ...visible, ...wanted } };
  if (query.status) {
    filter['views'] = { $elemMatch: { ...visible, ...wanted, status: { $in: statusesSeen(query.status, viewer) } } };
    // With every typology named, each branch of the index is ordered by `_id`, so MongoDB merges them and does not sort.
    filter['typology_id'] ??= { $in: allTypologies };
  }
  return filter;
}

/** Those of the wanted statuses that a company can see. */
export function statusesSeen(wanted: readonly string[], { companyKind }: Viewer): Status[] {
  return statuses.filter((status) => wanted.includes(status) && (companyKind !== 'contractor' || status !== 'removed'));
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
function idRange({ cursor, created_after, created_before, order }: ListQuery): Filter {
  const after = order === 'desc' ? '$lt' : '$gt';
  const lower = [cursor ? { [after]: cursor } : null, created_after ? { $gte: firstIdOf(created_after) } : null];
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

function bucketOf(at: Date): number {
  return Math.floor(at.getTime() / bucketMs);
}

export function bucketsOf({ updated_at, assigned_at }: Pick<Ticket, 'updated_at' | 'assigned_at'>): Buckets {
  return { updated_bucket: bucketOf(updated_at), assigned_bucket: assigned_at && bucketOf(assigned_at) };
}

/** MongoDB merges at most about 200 branches of an index; more of them it sorts. */
const maxMerged = 190;
/** Buckets after the current one, for clocks that are ahead. */
const bucketsAhead = 5;

/** The buckets from `time` on; null if there are too many to merge, after a little over a year. */
export function bucketsAfter(time: Date, now: Date): number[] | null {
  const [first, last] = [bucketOf(time), bucketOf(now) + bucketsAhead];
  const count = Math.max(last - first + 1, 0);
  return count > maxMerged ? null : Array.from({ length: count }, (_, index) => first + index);
}
