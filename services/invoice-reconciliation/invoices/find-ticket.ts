import type { CanonicalInvoice, CompanySnapshot } from '@app/contracts';
import {
  type CandidateLookup,
  decide,
  defaultSettings,
  type Habit,
  ibanChanged,
  type KnownContractor,
  type LinkedInvoice,
  type MatchDecision,
  type MatchSettings,
  matchSupplier,
  nameKey,
  precedingKeys,
  type SupplierMatch,
  supplierNumbers,
  vatKey,
} from '@app/matching';
import type { ReferenceCopies } from '../copies/reference-copies-store.ts';
import type { TicketCopies } from '../copies/ticket-copies-store.ts';
import type { TicketCopy } from '../copies/ticket-copy.ts';
import { hasEnded } from './arrival.ts';
import type { HabitStore } from './habit-store.ts';
import { precedingKey } from './identity.ts';
import type { Invoice } from './invoice.ts';
import type { Place } from './link.ts';
import type { MatchStore } from './match-store.ts';
import { placeOf } from './place.ts';
import { type Identified, lookupOf } from './steps.ts';
import type { Matched } from './ticket-steps.ts';

export type FinderDeps = {
  tickets: TicketCopies;
  references: ReferenceCopies;
  invoices: MatchStore;
  habits: Pick<HabitStore, 'of'>;
  hasFeedback: (provider: string) => boolean;
  matching: Partial<MatchSettings>;
  /** How long a second look at what stays in the queue may wait. */
  rematchDelayMs: number;
  now: () => Date;
};

/** Reads what the matching needs from the copies, and asks it. */
export type Finder = {
  supplier(invoice: Invoice): Promise<Omit<Identified, 'twins'>>;
  ticket(invoice: Invoice, supplier: SupplierMatch): Promise<Matched>;
  /** Everything that a link to this view of this ticket needs to know. */
  placeOn(invoice: Invoice, copy: TicketCopy, viewId: string): Promise<Place>;
};

const mostLikely = 20;

export function createFinder(deps: FinderDeps): Finder {
  const { tickets, references, invoices, habits, hasFeedback, now } = deps;
  const { autoScore, autoMargin } = { ...defaultSettings, ...deps.matching };
  /** No ticket without a reference comes within the margin of it: such count 80 at most (domain.md section 6.2). */
  const beyondDoubt = Math.max(autoScore, 80) + autoMargin;

  async function supplierFacts(invoice: Invoice) {
    const { client_id, canonical } = invoice;
    const client = await references.company(client_id);
    const numbers = supplierNumbers((canonical as CanonicalInvoice).supplier, sirensOf(client));
    const found = numbers.siren === null ? [] : await references.contractorsOf(client_id, numbers.siren);
    const known: KnownContractor[] = await Promise.all(
      found.map(async ({ id, siren, siret }) => ({ id, siren, siret, ibans: await ibansOf(invoice, id) })),
    );
    const matched = matchSupplier(numbers, known);
    const supplier = { ...matched, likelyIds: await likelyIds(invoice, matched) };
    const ibans = known.find(({ id }) => id === supplier.contractorId)?.ibans ?? [];
    return { numbers, supplier, ibans };
  }

  /** Whom an unknown supplier may be by its VAT number or its name; its SIREN, if it has one, would have told the others. */
  async function likelyIds({ client_id, canonical }: Invoice, { contractorIds }: SupplierMatch) {
    if (contractorIds.length > 0 || canonical === null) return [];
    const { siren } = supplierNumbers(canonical.supplier, []);
    const [vat, name] = [vatKey(canonical.supplier.vatNumber), nameKey(canonical.supplier.name)];
    const [linked, named] = await Promise.all([
      vat === null ? [] : invoices.suppliersOfVat(client_id, vat),
      name === null ? [] : references.contractorsNamed(client_id, name),
    ]);
    const possible = named.filter((one) => siren === null || (one.siren ?? one.siret) === null);
    return [...new Set([...linked, ...possible.map(({ id }) => id)])].sort().slice(0, mostLikely);
  }

  /** The accounts that a contractor is known by; not asked for an invoice that names none. */
  async function ibansOf({ client_id, canonical }: Invoice, contractorId: string): Promise<string[]> {
    return (canonical?.supplier.iban ?? null) === null ? [] : invoices.ibans(client_id, contractorId);
  }

  /** What the matching says of these tickets, with what is on them already. */
  async function judge(invoice: Invoice, supplier: SupplierMatch, { copies, linkedOn, habits: known }: Sight) {
    const { client_id, canonical, refused_tickets } = invoice;
    const locationIds = [...new Set(copies.flatMap(({ facts }) => facts.location_ids))];
    const [locations, preceding] = await Promise.all([
      references.locations(client_id, locationIds),
      invoices.preceding(client_id, precedingOf(invoice)),
    ]);
    const candidates = copies.map(({ facts, purchases, held }) => ({
      ticket: facts,
      purchases,
      held,
      locations: locations.filter(({ id }) => facts.location_ids.includes(id)),
      linked: linkedOn.get(facts.id) ?? [],
      excluded: refused_tickets.includes(facts.id),
    }));
    const read = canonical as CanonicalInvoice;
    return decide({ invoice: read, supplier, candidates, preceding, habits: known, settings: deps.matching });
  }

  /** Tickets that are named first: where one of them is beyond doubt, the supplier's others can't change it. */
  async function search(invoice: Invoice, supplier: SupplierMatch) {
    const { client_id, _id } = invoice;
    const lookup = lookupOf(invoice, supplier);
    const named = [...(await precedingTickets(invoice)), ...(await tickets.named(client_id, lookup))];
    const isKnown = lookup.contractorIds.length > 0;
    if (!isKnown) return searchUnknown(invoice, supplier, named);
    if (named.length > 0) {
      const linked = await invoices.onTickets(client_id, idsOf(named), _id);
      const linkedOn = Map.groupBy(linked, ({ ticketId }) => ticketId);
      const outcome = await judge(invoice, supplier, { copies: named, linkedOn, habits: [] });
      const isClear = outcome.decision === 'auto' && (outcome.score ?? 0) >= beyondDoubt;
      if (isClear) return { outcome, copies: named, linked };
    }
    const [others, known] = await Promise.all([
      tickets.ofSupplier(client_id, lookup),
      habits.of(client_id, lookup.contractorIds),
    ]);
    const copies = merge(named, others, lookup);
    const linkedOn = await invoices.countsOn(client_id, idsOf(copies), _id);
    const outcome = await judge(invoice, supplier, { copies, linkedOn, habits: known });
    if (outcome.decision !== 'auto' || outcome.ticketId === null) return { outcome, copies, linked: [] };
    // Whoever takes a place on a ticket has to have decided by those whose places he saw: once more, by what is on that one now.
    const linked = await invoices.onTickets(client_id, [outcome.ticketId], _id);
    linkedOn.set(outcome.ticketId, linked);
    const sure = await judge(invoice, supplier, { copies, linkedOn, habits: known });
    return { outcome: sure.ticketId === outcome.ticketId ? sure : { ...sure, ...undecided }, copies, linked };
  }

  /** Of a supplier that nobody knows nothing is decided: what it names is suggested, and tickets of whom it may be. */
  async function searchUnknown(invoice: Invoice, supplier: SupplierMatch, named: TicketCopy[]) {
    const { client_id, _id } = invoice;
    const lookup = lookupOf(invoice, supplier);
    const likely = supplier.likelyIds ?? (await likelyIds(invoice, supplier));
    const others = await tickets.ofSupplier(client_id, { ...lookup, contractorIds: [...likely] });
    const copies = merge(named, others, lookup);
    const linkedOn = await invoices.countsOn(client_id, idsOf(copies), _id);
    const outcome = await judge(invoice, { ...supplier, likelyIds: likely }, { copies, linkedOn, habits: [] });
    return { outcome, copies, linked: [] };
  }

  /** A credit note goes where the invoice is that it names: that ticket is a candidate, however old. */
  async function precedingTickets(invoice: Invoice): Promise<TicketCopy[]> {
    const named = await invoices.preceding(invoice.client_id, precedingOf(invoice));
    const ids = [...new Set(named.flatMap(({ ticketId }) => ticketId ?? []))];
    const found = await Promise.all(ids.map((id) => tickets.find(invoice.client_id, id)));
    return found.filter((copy) => copy !== null);
  }

  async function matchTicket(invoice: Invoice, supplier: SupplierMatch): Promise<Matched> {
    const { outcome, copies, linked } = await search(invoice, supplier);
    const copy = copies.find(({ facts }) => facts.id === outcome.ticketId);
    const retryAt = new Date(now().getTime() + deps.rematchDelayMs);
    const open = { outcome, place: null, retryAt, doubts: [] };
    if (outcome.decision !== 'auto' || !copy || !outcome.viewId) return open;
    // Also where an operator has passed over that the provider has ended it: it is placed by hand (row 22).
    if (hasEnded(invoice.provider_status)) return { ...open, doubts: ['provider_status'] };
    if (await hasForeignIban(invoice, outcome)) return { ...open, doubts: ['iban_changed'] };
    return { ...open, place: placeOf(invoice, { copy, viewId: outcome.viewId, linked, hasFeedback }) };
  }

  /** The ticket told which of several contractors it is: the IBAN is looked at now, as row 9 does where one is known before. */
  async function hasForeignIban(invoice: Invoice, { contractorId }: MatchDecision): Promise<boolean> {
    if (contractorId === null || contractorId === invoice.supplier_id) return false;
    const iban = invoice.canonical?.supplier.iban ?? null;
    return ibanChanged(iban, await ibansOf(invoice, contractorId));
  }

  return {
    supplier: supplierFacts,
    ticket: matchTicket,
    async placeOn(invoice, copy, viewId) {
      const linked = await invoices.onTickets(invoice.client_id, [copy.facts.id], invoice._id);
      return placeOf(invoice, { copy, viewId, linked, hasFeedback });
    },
  };
}

/** Two looks that say different things decide nothing. */
const undecided = { decision: 'queue', ticketId: null, viewId: null, contractorId: null } as const;

/** Tickets to be judged, with what is on each of them, and what is known of how their supplier writes. */
type Sight = {
  copies: TicketCopy[];
  linkedOn: ReadonlyMap<string, readonly LinkedInvoice[]>;
  habits: readonly Habit[];
};

function idsOf(copies: TicketCopy[]): string[] {
  return copies.map(({ facts }) => facts.id);
}

function sirensOf(client: CompanySnapshot | null): string[] {
  return client?.siren ? [client.siren] : [];
}

function precedingOf({ canonical, keys }: Invoice): string[] {
  const { siren } = keys;
  if (canonical === null || siren === null || canonical.kind === 'invoice') return [];
  return precedingKeys(canonical).map((number) => precedingKey(siren, number));
}

function merge(named: TicketCopy[], others: TicketCopy[], { limit }: CandidateLookup): TicketCopy[] {
  return [...new Map([...others, ...named].map((copy) => [copy.facts.id, copy])).values()].slice(-limit);
}
