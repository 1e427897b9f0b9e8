import type { RankedTicket, Signal } from '@app/matching';
import type { Invoice } from '../invoices/invoice.ts';
import type { MatchQueries } from '../matching/match-query-store.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { DirectoryStore } from '../projections/directory-store.ts';
import type { TicketProjection } from '../projections/ticket-projection.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import type { TicketSearch } from '../projections/ticket-search-store.ts';
import { contractorOn, type TicketDetails, ticketDetails } from './ticket-details.ts';

type Deps = {
  tickets: Pick<TicketProjectionStore, 'findAll' | 'idsAt'>;
  search: TicketSearch;
  directory: Pick<DirectoryStore, 'contractors' | 'locations'>;
  queries: Pick<MatchQueries, 'invoicedOn'>;
  matcher: Pick<Matcher, 'rank'>;
};

/** A view of a ticket. */
type ViewRef = { ticketId: string; viewId: string };
type ViewDetails = ViewRef & TicketDetails;
export type Candidate = ViewDetails & { score: number; signals: Signal[] };
/** `text` null: the tickets that the invoice may belong to. `placeIds`: those of a caller who is limited to them. */
type Wanted = { text: string | null; limit: number; placeIds?: readonly string[] | undefined };

/**
 * The tickets that people choose from, read from this service's own projections: the permission for invoices is
 * enough.
 */
export class Candidates {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The tickets that the invoice may belong to, best first. With `text`: all tickets that the search finds. */
  async list(invoice: Invoice, { text, ...wanted }: Wanted): Promise<Candidate[]> {
    const ranked = text === null ? await this.#best(invoice, wanted) : await this.#searched(invoice, text, wanted);
    const details = await this.ticketDetails(invoice, ranked);
    return ranked.flatMap(({ ticketId, viewId, score, signals }) => {
      const found = details.get(ticketId);
      return found ? [{ ticketId, viewId, ...found, score, signals }] : [];
    });
  }

  /** The details of the projected tickets, by their ids. */
  async ticketDetails({ client_id, _id }: Invoice, views: readonly ViewRef[]): Promise<Map<string, TicketDetails>> {
    const { tickets, directory, queries } = this.#deps;
    const ids = views.map(({ ticketId }) => ticketId);
    const projections = new Map((await tickets.findAll(client_id, ids)).map((one) => [one.ticket.id, one]));
    const found = views.flatMap(({ ticketId, viewId }) => {
      const projection = projections.get(ticketId);
      return projection ? [{ projection, viewId }] : [];
    });
    const contractorIds = found.flatMap(({ projection, viewId }) => contractorOn(projection.ticket, viewId) ?? []);
    const locationIds = found.flatMap(({ projection }) => projection.ticket.location_ids);
    const [contractors, locations, invoiced] = await Promise.all([
      directory.contractors(client_id, [...new Set(contractorIds)]),
      directory.locations(client_id, [...new Set(locationIds)]),
      queries.invoicedOn(client_id, ids, _id),
    ]);
    const related = { contractors: namesOf(contractors), locations: namesOf(locations), invoiced };
    return new Map(
      found.map(({ projection, viewId }) => [projection.ticket.id, ticketDetails(projection, viewId, related)]),
    );
  }

  /** Whether the finished ticket has an order and goods receipts of this amount, and nothing else invoiced. */
  async agrees(invoice: Invoice, ticketId: string): Promise<boolean> {
    const { tickets, matcher } = this.#deps;
    const own = await tickets.findAll(invoice.client_id, [ticketId]);
    const [ranked] = await matcher.rank(invoice, own);
    return ranked !== undefined && own.some((one) => isAgreed(one, ranked));
  }

  async #best(invoice: Invoice, { limit, placeIds }: Omit<Wanted, 'text'>): Promise<RankedTicket[]> {
    const { tickets, matcher } = this.#deps;
    const ranked = await matcher.rank(invoice);
    if (!placeIds) return ranked.slice(0, limit);
    const ids = ranked.map(({ ticketId }) => ticketId);
    const seen = await tickets.idsAt(invoice.client_id, ids, placeIds);
    return ranked.filter(({ ticketId }) => seen.has(ticketId)).slice(0, limit);
  }

  async #searched(invoice: Invoice, text: string, page: Omit<Wanted, 'text'>): Promise<RankedTicket[]> {
    const { tickets, search, matcher } = this.#deps;
    const ids = await search.find(invoice.client_id, text, page);
    const asked = await tickets.findAll(invoice.client_id, ids);
    const ranked = await matcher.rank(invoice, asked);
    // An invoice that was never read has no scores, but its tickets can be searched.
    return ranked.length > 0 ? ranked : asked.flatMap(unranked);
  }
}

function isAgreed({ ticket, purchases }: TicketProjection, { signals }: RankedTicket): boolean {
  const isFinished = ticket.status === 'finished' || ticket.status === 'closed';
  const signalOf = (code: Signal['code']) => signals.find((one) => one.code === code);
  const fits = (one: Signal | undefined) => one?.values.level === 'equal' || one?.values.level === 'close';
  const receipt = signalOf('goods_receipt');
  const isOrdered = purchases.some(({ kind, deleted }) => kind === 'purchase_order' && !deleted);
  // Many receipts have no amount: they say that the work was received.
  const isReceived = receipt !== undefined && (receipt.values.level === undefined || fits(receipt));
  return isFinished && isOrdered && fits(signalOf('amount')) && isReceived && !signalOf('already_invoiced');
}

function unranked({ ticket }: TicketProjection): RankedTicket[] {
  const view = ticket.views.find(({ state }) => state === 'active') ?? ticket.views[0];
  return view ? [{ ticketId: ticket.id, viewId: view.id, score: 0, signals: [] }] : [];
}

function namesOf(all: readonly { id: string; name: string }[]): Map<string, string> {
  return new Map(all.map(({ id, name }) => [id, name]));
}
