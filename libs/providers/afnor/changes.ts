import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ProviderHttp } from '../http/http-client.ts';
import { identifier, type Json, latest, pageEntries, record, text } from '../parsing/json.ts';
import type { ChangedPage, ListedChange, ProviderClient } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';

/** The most that the standard allows. */
const pageLimit = 100;
/** What a platform gives at once if nobody asks for a number: a page of as many may be full. */
const defaultLimit = 25;
/** A client lists once at a time; a listing that lost its lease may still go on beside the next. */
const maxListings = 4;

/** What is known between two pages of a listing. */
type Listing = {
  /** The platform's cursor; null: its paging is to be checked. */
  next: string | null;
  pages: number;
  /** The changes so far by flow, in milliseconds. */
  changedAt: Map<string, number>;
  /** A flow came again with another time. */
  hasMoved: boolean;
};

/**
 * Lists incoming supplier invoices and their life-cycle messages. Platforms list in any order, so only the last page has a watermark.
 * A platform's cursor may count flows: one that changes during the listing then moves others to where nobody looks. So without
 * a watermark the next poll lists the same again. A first page of 25 flows or more without a cursor is the end only if the platform gives
 * one when it is asked for one flow; else the poll fails.
 */
export function flowLister(http: ProviderHttp): ProviderClient['listChanged'] {
  const listings = new LRUCache<string, Listing>({ max: maxListings });

  function known(key: string): Listing {
    const listing = listings.get(key);
    if (listing) return listing;
    throw new ProviderError('transient', 'the list of changes must be read from its beginning');
  }

  return async (since, cursor, signal) => {
    const key = cursor?.split(' ')[0] ?? randomUUID();
    const listing = cursor === null ? firstPage() : known(key);
    // Exclusive.
    const where = { updatedAfter: new Date(since.getTime() - 1).toISOString(), ...wanted };
    if (listing.pages > 0 && listing.next === null) return lastPage([], await checkPaging());
    const { flows, next, answeredAt } = await search(pageLimit, listing.next);
    const changes = flows.flatMap((flow) => changeOf(flow));
    const isUnclear = listing.pages === 0 && next === null && flows.length >= defaultLimit;
    addPage(listing, changes, next);
    if (next === null && !isUnclear) return lastPage(changes, answeredAt);
    listings.set(key, listing);
    return { changes, cursor: `${key} ${listing.pages}`, watermark: null, answeredAt };

    function lastPage(changes: ListedChange[], answeredAt: Date | null): ChangedPage {
      listings.delete(key);
      return { changes, cursor: null, watermark: watermarkOf(listing), answeredAt };
    }

    async function search(limit: number, from: string | null) {
      const body = { limit, where, ...(from === null ? {} : { cursor: from }) };
      const { answer, answeredAt } = await http.dated({ method: 'post', path: ['flows', 'search'], body, signal });
      const { results, nextCursor } = record(answer);
      return { flows: pageEntries(results), next: text(nextCursor), answeredAt };
    }

    /** A full page without a cursor is the end on a platform that pages: asked for a single flow, it gives a cursor to the others. */
    async function checkPaging(): Promise<Date | null> {
      const { next, answeredAt } = await search(1, null);
      if (next !== null) return answeredAt;
      const count = listing.changedAt.size;
      throw new ProviderError(
        'refused',
        `the provider gave ${count} flows and no cursor: there may be more, which it hides`,
      );
    }
  };
}

const firstPage = (): Listing => ({ next: null, pages: 0, changedAt: new Map(), hasMoved: false });

function addPage(listing: Listing, changes: ListedChange[], next: string | null): void {
  for (const { externalId, changedAt } of changes) {
    const time = changedAt?.getTime() ?? 0;
    listing.hasMoved ||= (listing.changedAt.get(externalId) ?? time) !== time;
    listing.changedAt.set(externalId, time);
  }
  Object.assign(listing, { next, pages: listing.pages + 1 });
}

function watermarkOf({ changedAt, hasMoved }: Listing): Date | null {
  const last = [...changedAt.values()].reduce((one, other) => Math.max(one, other), 0);
  return hasMoved || last === 0 ? null : new Date(last);
}

const flowTypes = ['SupplierInvoice', 'SupplierInvoiceLC'];
export const wanted = { flowType: flowTypes, flowDirection: ['In'] };

/** A platform may ignore a filter, and a callback is about any flow. What is pending may become an invoice. */
export function changeOf(flow: Json): ListedChange[] {
  const id = identifier(flow['flowId']);
  const type = text(flow['flowType']) ?? 'Undefined';
  if (id === null || ![...flowTypes, 'Undefined'].includes(type) || flow['flowDirection'] !== 'In') return [];
  return [{ externalId: id, deleted: false, changedAt: latest([flow['updatedAt']]) }];
}
