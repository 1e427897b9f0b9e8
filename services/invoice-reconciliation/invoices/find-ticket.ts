import type { CanonicalInvoice, CompanyFacts } from '@app/contracts';
import {
  type CandidateLookup,
  decide,
  defaultSettings,
  type Habit,
  ibanChanged,
  type KnownContractor,
  type MatchDecision,
  type MatchSettings,
  matchSupplier,
  precedingKeys,
  type SupplierMatch,
  supplierNumbers,
} from '@app/matching';
import type { ReferenceCopies } from '../copies/reference-copies-store.ts';
import type { TicketCopies, TicketCopy } from '../copies/ticket-copies-store.ts';
import { hasEnded } from './arrival.ts';
import type { HabitStore } from './habit-store.ts';
import { precedingKey } from './identity.ts';
import type { Invoice } from './invoice.ts';
import { type Place, placeClaim } from './link.ts';
import type { MatchStore } from './match-store.ts';
import type { OnTicket } from './on-ticket.ts';
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

export function createFinder(deps: FinderDeps): Finder {
  const { tickets, references, invoices, habits, now } = deps;
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
    const supplier = matchSupplier(numbers, known);
    const ibans = known.find(({ id }) => id === supplier.contractorId)?.ibans ?? [];
    return { numbers, supplier, ibans };
  }

  /** The accounts that a contractor is known by; not asked for an invoice that names none. */
  async function ibansOf({ client_id, canonical }: Invoice, contractorId: string): Promise<string[]> {
    return (canonical?.supplier.iban ?? null) === null ? [] : invoices.ibans(client_id, contractorId);
  }

  /** What the matching says of these tickets, with who is on them already. */
  async function judge(invoice: Invoice, supplier: SupplierMatch, copies: TicketCopy[], known: Habit[] = []) {
    const { client_id, canonical, refused_tickets } = invoice;
    const locationIds = [...new Set(copies.flatMap(({ facts }) => facts.location_ids))];
    const [linked, locations, preceding] = await Promise.all([
      invoices.onTickets(
        client_id,
        copies.map(({ facts }) => facts.id),
        invoice._id,
      ),
      references.locations(client_id, locationIds),
      invoices.preceding(client_id, precedingOf(invoice)),
    ]);
    const candidates = copies.map(({ facts, purchases }) => ({
      ticket: facts,
      purchases,
      locations: locations.filter(({ id }) => facts.location_ids.includes(id)),
      linked: linked.filter(({ ticketId }) => ticketId === facts.id),
      excluded: refused_tickets.includes(facts.id),
    }));
    const read = canonical as CanonicalInvoice;
    const outcome = decide({
      ...{ invoice: read, supplier, candidates, preceding, habits: known },
      settings: deps.matching,
    });
    return { outcome, linked };
  }

  /** Tickets that are named first: where one of them is beyond doubt, the supplier's others can't change it. */
  async function search(invoice: Invoice, supplier: SupplierMatch) {
    const lookup = lookupOf(invoice, supplier);
    const before = await precedingTickets(invoice);
    const named = [...before, ...(await tickets.named(invoice.client_id, lookup))];
    if (lookup.contractorIds.length === 0) return { ...(await judge(invoice, supplier, named)), copies: named };
    if (named.length > 0) {
      const first = await judge(invoice, supplier, named);
      const isClear = first.outcome.decision === 'auto' && (first.outcome.score ?? 0) >= beyondDoubt;
      if (isClear) return { ...first, copies: named };
    }
    const [others, known] = await Promise.all([
      tickets.ofSupplier(invoice.client_id, lookup),
      habits.of(invoice.client_id, lookup.contractorIds),
    ]);
    const all = merge(named, others, lookup);
    return { ...(await judge(invoice, supplier, all, known)), copies: all };
  }

  /** A credit note goes where the invoice is that it names: that ticket is a candidate, however old. */
  async function precedingTickets(invoice: Invoice): Promise<TicketCopy[]> {
    const named = await invoices.preceding(invoice.client_id, precedingOf(invoice));
    const ids = [...new Set(named.flatMap(({ ticketId }) => ticketId ?? []))];
    const found = await Promise.all(ids.map((id) => tickets.find(invoice.client_id, id)));
    return found.filter((copy) => copy !== null);
  }

  async function matchTicket(invoice: Invoice, supplier: SupplierMatch): Promise<Matched> {
    const { outcome, linked, copies } = await search(invoice, supplier);
    const copy = copies.find(({ facts }) => facts.id === outcome.ticketId);
    const retryAt = new Date(now().getTime() + deps.rematchDelayMs);
    const open = { outcome, place: null, retryAt, doubts: [] };
    if (outcome.decision !== 'auto' || !copy || !outcome.viewId) return open;
    // Also where an operator has passed over that the provider has ended it: it is placed by hand (row 22).
    if (hasEnded(invoice.provider_status)) return { ...open, doubts: ['provider_status'] };
    if (await hasForeignIban(invoice, outcome)) return { ...open, doubts: ['iban_changed'] };
    return { ...open, place: placeOf(invoice, { copy, viewId: outcome.viewId, linked }) };
  }

  /** The ticket told which of several contractors it is: the IBAN is looked at now, as row 9 does where one is known before. */
  async function hasForeignIban(invoice: Invoice, { contractorId }: MatchDecision): Promise<boolean> {
    if (contractorId === null || contractorId === invoice.supplier_id) return false;
    const iban = invoice.canonical?.supplier.iban ?? null;
    return ibanChanged(iban, await ibansOf(invoice, contractorId));
  }

  function placeOf(
    invoice: Invoice,
    { copy, viewId, linked }: { copy: TicketCopy; viewId: string; linked: OnTicket[] },
  ): Place {
    const { id, number, views } = copy.facts;
    const held = linked.filter(({ ticketId }) => ticketId === id).flatMap(({ claims }) => claims);
    const view = views.find((one) => one.id === viewId);
    return {
      hasFeedback: deps.hasFeedback(invoice.provider),
      ticket: { id, number },
      po_ref: orderOf(copy),
      view: { id: viewId, contractor_id: view?.contractor_id ?? null },
      claim: placeClaim(id, held),
    };
  }

  return {
    supplier: supplierFacts,
    ticket: matchTicket,
    async placeOn(invoice, copy, viewId) {
      const linked = await invoices.onTickets(invoice.client_id, [copy.facts.id], invoice._id);
      return placeOf(invoice, { copy, viewId, linked });
    },
  };
}

function sirensOf(client: CompanyFacts | null): string[] {
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

/** The order that the provider is told of: the ticket's newest. */
export function orderOf({ purchases }: TicketCopy): string | null {
  const orders = purchases.filter(({ kind }) => kind === 'purchase_order');
  return orders.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]?.reference ?? null;
}
