import type { CanonicalInvoice, HeardStatuses } from '@app/contracts';
import {
  type CandidateLookup,
  decide,
  defaultSettings,
  type KnownAccounts,
  type KnownContractor,
  type LinkedInvoice,
  type MatchDecision,
  type MatchInput,
  type MatchSettings,
  matchSupplier,
  nameKey,
  placeKeys,
  type RankedTicket,
  type ReferencePattern,
  rankTickets,
  type SupplierMatch,
  supplierNumbers,
  vatKey,
} from '@app/matching';
import type { Invoice } from '../invoices/invoice.ts';
import type { LinkedToTicket } from '../invoices/linked-amounts.ts';
import { hasEnded } from '../invoices/provider-status.ts';
import type { DirectoryStore } from '../projections/directory-store.ts';
import type { TicketProjection } from '../projections/ticket-projection.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import type { MatchQueries } from './match-query-store.ts';
import type { ReferencePatternStore } from './supplier-reference-pattern-store.ts';
import { type FoundSupplier, hasNewAccount, lookupOf, supplierOf } from './supplier-rules.ts';
import type { TicketMatch } from './ticket-rules.ts';
import { accountClaims, type TicketTarget, ticketTarget } from './ticket-target.ts';

type Deps = {
  tickets: Pick<TicketProjectionStore, 'find' | 'findByReference' | 'findOfContractors'>;
  directory: Pick<
    DirectoryStore,
    'company' | 'contractorsBySiren' | 'contractorsByName' | 'locations' | 'locationsNamed'
  >;
  queries: MatchQueries;
  patterns: Pick<ReferencePatternStore, 'find'>;
  heardBy: (provider: string) => HeardStatuses;
  matching: Partial<MatchSettings>;
  /** Delay until an invoice that stays in the queue is matched again. */
  rematchDelayMs: number;
  now: () => Date;
};

/** The outcome of a search; `linked` are the invoices on the ticket that was chosen. */
type SearchResult = { outcome: MatchDecision; candidates: TicketProjection[]; linked: LinkedToTicket[] };

/** The input of `decide`, apart from the invoice and its supplier. */
type CandidateInput = {
  candidates: TicketProjection[];
  linkedOn: ReadonlyMap<string, readonly LinkedInvoice[]>;
  patterns: readonly ReferencePattern[];
};

const maxLikely = 20;
/** The highest score of a ticket that the invoice does not name. */
const maxScoreUnnamed = 80;

/** Reads what matching needs, for one invoice, and calls the rules of `@app/matching`. */
export class Matcher {
  readonly #deps: Deps;
  /** From this score on no ticket that the invoice does not name can come within the margin. */
  readonly #undisputedScore: number;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { autoScore, autoMargin } = { ...defaultSettings, ...deps.matching };
    this.#undisputedScore = Math.max(autoScore, maxScoreUnnamed) + autoMargin;
  }

  /** The supplier of an invoice that was read. */
  async findSupplier(invoice: Invoice): Promise<FoundSupplier> {
    const { directory } = this.#deps;
    const { client_id, canonical } = invoice;
    const client = await directory.company(client_id);
    const numbers = supplierNumbers((canonical as CanonicalInvoice).supplier, client?.siren ? [client.siren] : []);
    const found = numbers.siren === null ? [] : await directory.contractorsBySiren(client_id, numbers.siren);
    const contractors: KnownContractor[] = await Promise.all(
      found.map(async ({ id, siren, siret }) => ({ id, siren, siret, accounts: await this.#accountsOf(invoice, id) })),
    );
    const match = matchSupplier(numbers, contractors);
    const supplier = { ...match, likelyIds: await this.#likelyContractors(invoice, match) };
    const confirmed = contractors.find(({ id }) => id === supplier.contractorId)?.accounts ?? [];
    return { numbers, supplier, accounts: await this.#known(invoice, confirmed, numbers.siren) };
  }

  /** The ticket of an invoice whose supplier step is done; `accounts` are those that it read just before. */
  async findTicket(invoice: Invoice, supplier: SupplierMatch, accounts?: KnownAccounts | null): Promise<TicketMatch> {
    const { now, rematchDelayMs } = this.#deps;
    const { outcome, candidates, linked } = await this.#search(invoice, supplier);
    const chosen = candidates.find(({ ticket }) => ticket.id === outcome.ticketId);
    const retryAt = new Date(now().getTime() + rematchDelayMs);
    const unplaced = { outcome, target: null, retryAt, doubts: [] };
    if (outcome.decision !== 'auto' || !chosen || !outcome.viewId) return unplaced;
    if (invoice.undone_tickets?.includes(chosen.ticket.id)) return unplaced;
    // Even if an operator has overridden that reason, such an invoice is linked by hand only.
    if (hasEnded(invoice.provider_status)) return { ...unplaced, doubts: ['provider_status'] };
    const isSettled = outcome.contractorId === invoice.supplier_id && (accounts?.confirmed.length ?? 0) > 0;
    const accountClaims = isSettled ? [] : await this.#freeAccountClaims(invoice, outcome.contractorId);
    // After the claims were read: who holds one of them has its accounts stored.
    if (!isSettled && (await this.#hasNewAccount(invoice, outcome))) return { ...unplaced, doubts: ['iban_changed'] };
    return { ...unplaced, target: this.#target(invoice, chosen, { viewId: outcome.viewId, linked, accountClaims }) };
  }

  /**
   * Tickets compared with the invoice, best first: those `asked` for, or all that it may belong to.
   * None if it was never read.
   */
  async rank(invoice: Invoice, asked?: TicketProjection[]): Promise<RankedTicket[]> {
    const { queries, patterns } = this.#deps;
    const { client_id, _id, canonical } = invoice;
    if (canonical === null) return [];
    const supplier = supplierOf(invoice);
    const likelyIds = await this.#likelyContractors(invoice, supplier);
    const candidates = asked ?? (await this.#possible(invoice, { ...supplier, likelyIds }));
    const [linkedOn, known] = await Promise.all([
      queries.amountsOn(client_id, candidates, _id),
      patterns.find(client_id, supplier.contractorIds),
    ]);
    const input = { candidates, linkedOn, patterns: known };
    const complete = await this.#complete(invoice, { ...supplier, likelyIds }, input);
    const isAsked = asked !== undefined;
    return rankTickets({ ...complete, candidates: complete.candidates.map((one) => ({ ...one, asked: isAsked })) });
  }

  async #possible(invoice: Invoice, supplier: SupplierMatch): Promise<TicketProjection[]> {
    const { tickets } = this.#deps;
    const lookup = lookupOf(invoice, supplier);
    const contractorIds = [...lookup.contractorIds, ...(supplier.likelyIds ?? [])];
    const [preceding, named, others] = await Promise.all([
      this.#precedingTickets(invoice),
      tickets.findByReference(invoice.client_id, lookup),
      tickets.findOfContractors(invoice.client_id, { ...lookup, contractorIds }),
    ]);
    return merge([...preceding, ...named], others, lookup);
  }

  /** All that a link to this view of the ticket needs. */
  async targetOn(invoice: Invoice, projection: TicketProjection, viewId: string): Promise<TicketTarget> {
    const { ticket } = projection;
    const view = ticket.views.find(({ id }) => id === viewId);
    const [linked, accountClaims] = await Promise.all([
      this.#deps.queries.linkedTo(invoice.client_id, [ticket.id], invoice._id),
      this.#freeAccountClaims(invoice, invoice.supplier_id ?? view?.contractor_id ?? null),
    ]);
    return this.#target(invoice, projection, { viewId, linked, accountClaims });
  }

  #target(
    invoice: Invoice,
    { ticket, purchases }: TicketProjection,
    link: { viewId: string; linked: LinkedToTicket[]; accountClaims: string[] },
  ) {
    return ticketTarget(invoice, { ticket, purchases, ...link, heardBy: this.#deps.heardBy });
  }

  #freeAccountClaims(invoice: Invoice, supplierId: string | null): Promise<string[]> {
    const accounts = invoice.canonical?.supplier.accounts ?? [];
    return this.#deps.queries.freeClaims(invoice, accountClaims(supplierId, accounts));
  }

  /** Reads the tickets that the invoice names first: if one of them is undisputed, the supplier's others need not be read. */
  async #search(invoice: Invoice, supplier: SupplierMatch): Promise<SearchResult> {
    const { tickets, queries, patterns } = this.#deps;
    const { client_id, _id } = invoice;
    const lookup = lookupOf(invoice, supplier);
    const named = [...(await this.#precedingTickets(invoice)), ...(await tickets.findByReference(client_id, lookup))];
    if (lookup.contractorIds.length === 0) return this.#searchUnknown(invoice, supplier, named);
    if (named.length > 0) {
      const linked = await queries.linkedTo(client_id, idsOf(named), _id);
      const linkedOn = Map.groupBy(linked, ({ ticketId }) => ticketId);
      const outcome = await this.#decide(invoice, supplier, { candidates: named, linkedOn, patterns: [] });
      const isUndisputed = outcome.decision === 'auto' && (outcome.score ?? 0) >= this.#undisputedScore;
      if (isUndisputed) return { outcome, candidates: named, linked };
    }
    const [others, known] = await Promise.all([
      tickets.findOfContractors(client_id, lookup),
      patterns.find(client_id, lookup.contractorIds),
    ]);
    return this.#searchAll(invoice, supplier, { candidates: merge(named, others, lookup), patterns: known });
  }

  async #searchAll(
    invoice: Invoice,
    supplier: SupplierMatch,
    { candidates, patterns }: Pick<CandidateInput, 'candidates' | 'patterns'>,
  ): Promise<SearchResult> {
    const { queries } = this.#deps;
    const { client_id, _id } = invoice;
    const linkedOn = await queries.amountsOn(client_id, candidates, _id);
    const outcome = await this.#decide(invoice, supplier, { candidates, linkedOn, patterns });
    if (outcome.decision !== 'auto' || outcome.ticketId === null) return { outcome, candidates, linked: [] };
    // The slot on the ticket must belong to the same state of the ticket as the decision: decide again with what is on it now.
    const linked = await queries.linkedTo(client_id, [outcome.ticketId], _id);
    linkedOn.set(outcome.ticketId, linked);
    const confirmed = await this.#decide(invoice, supplier, { candidates, linkedOn, patterns });
    const isConfirmed = confirmed.ticketId === outcome.ticketId;
    return { outcome: isConfirmed ? confirmed : { ...confirmed, ...undecided }, candidates, linked };
  }

  /** For an unknown supplier tickets are only suggested: those that the invoice names, and those of likely contractors. */
  async #searchUnknown(invoice: Invoice, supplier: SupplierMatch, named: TicketProjection[]): Promise<SearchResult> {
    const { tickets, queries } = this.#deps;
    const { client_id, _id } = invoice;
    const lookup = lookupOf(invoice, supplier);
    const likelyIds = supplier.likelyIds ?? (await this.#likelyContractors(invoice, supplier));
    const others = await tickets.findOfContractors(client_id, { ...lookup, contractorIds: [...likelyIds] });
    const candidates = merge(named, others, lookup);
    const linkedOn = await queries.amountsOn(client_id, candidates, _id);
    const outcome = await this.#decide(invoice, { ...supplier, likelyIds }, { candidates, linkedOn, patterns: [] });
    return { outcome, candidates, linked: [] };
  }

  async #decide(invoice: Invoice, supplier: SupplierMatch, input: CandidateInput): Promise<MatchDecision> {
    return decide(await this.#complete(invoice, supplier, input));
  }

  async #complete(
    invoice: Invoice,
    supplier: SupplierMatch,
    { candidates, linkedOn, patterns }: CandidateInput,
  ): Promise<MatchInput> {
    const { directory, queries, matching: settings } = this.#deps;
    const { client_id, canonical, refused_tickets } = invoice;
    const locationIds = [...new Set(candidates.flatMap(({ ticket }) => ticket.location_ids))];
    const read = canonical as CanonicalInvoice;
    const [locations, namedLocations, preceding] = await Promise.all([
      directory.locations(client_id, locationIds),
      locationIds.length === 0 ? [] : directory.locationsNamed(client_id, placeKeys(read)),
      queries.preceding(invoice),
    ]);
    const complete = candidates.map((candidate) => ({
      ...candidate,
      locations: locations.filter(({ id }) => candidate.ticket.location_ids.includes(id)),
      linked: linkedOn.get(candidate.ticket.id) ?? [],
      excluded: refused_tickets.includes(candidate.ticket.id),
    }));
    return { invoice: read, supplier, candidates: complete, namedLocations, preceding, patterns, settings };
  }

  /** The tickets of the invoices that a credit note or a corrective invoice names, however old. */
  async #precedingTickets(invoice: Invoice): Promise<TicketProjection[]> {
    const { tickets, queries } = this.#deps;
    const preceding = await queries.preceding(invoice);
    const ids = [...new Set(preceding.flatMap(({ ticketId }) => ticketId ?? []))];
    const found = await Promise.all(ids.map((id) => tickets.find(invoice.client_id, id)));
    return found.filter((projection) => projection !== null);
  }

  /** Contractors that an unknown supplier may be, by its VAT number or its name. */
  async #likelyContractors(invoice: Invoice, { contractorIds }: SupplierMatch): Promise<string[]> {
    const { directory, queries } = this.#deps;
    const { client_id, canonical } = invoice;
    if (contractorIds.length > 0 || canonical === null) return [];
    const { siren } = supplierNumbers(canonical.supplier, []);
    const [vat, name] = [vatKey(canonical.supplier.vatNumber), nameKey(canonical.supplier.name)];
    const [linked, sameName] = await Promise.all([
      vat === null ? [] : queries.suppliersOfVat(client_id, vat),
      name === null ? [] : directory.contractorsByName(client_id, name),
    ]);
    // If the invoice has a SIREN, contractors with another one are other companies.
    const possible = sameName.filter((one) => siren === null || (one.siren ?? one.siret) === null);
    return [...new Set([...linked, ...possible.map(({ id }) => id)])].sort().slice(0, maxLikely);
  }

  /** The confirmed accounts of a contractor; not read for an invoice without any. */
  async #accountsOf({ client_id, canonical }: Invoice, contractorId: string): Promise<string[]> {
    const hasAccount = (canonical?.supplier.accounts.length ?? 0) > 0;
    return hasAccount ? this.#deps.queries.confirmedAccounts(client_id, contractorId) : [];
  }

  /** If only the ticket has decided who the supplier is, or if its first account may have been confirmed meanwhile. */
  async #hasNewAccount(invoice: Invoice, { contractorId }: MatchDecision): Promise<boolean> {
    if (contractorId === null) return false;
    const confirmed = await this.#accountsOf(invoice, contractorId);
    return hasNewAccount(invoice, await this.#known(invoice, confirmed, invoice.keys.siren));
  }

  /** Whose accounts they are is asked only for a supplier without a confirmed one. */
  async #known(invoice: Invoice, confirmed: readonly string[], siren: string | null): Promise<KnownAccounts> {
    const shared = confirmed.length > 0 ? [] : await this.#deps.queries.sharedAccounts(invoice, siren);
    return { confirmed, ofOthers: shared.map(({ account }) => account) };
  }
}

/** Two decisions that contradict each other decide nothing. */
const undecided = { decision: 'queue', ticketId: null, viewId: null, contractorId: null } as const;

function idsOf(candidates: TicketProjection[]): string[] {
  return candidates.map(({ ticket }) => ticket.id);
}

/** Named tickets come last, so that the limit never cuts them off. */
function merge(named: TicketProjection[], others: TicketProjection[], { limit }: CandidateLookup): TicketProjection[] {
  return [...new Map([...others, ...named].map((one) => [one.ticket.id, one])).values()].slice(-limit);
}
