import type { LinkedInvoice, PrecedingInvoice } from '@app/matching';
import type { Connection, mongo } from 'mongoose';
import { type DuplicateCandidate, desiredClaims, isNamedBy, precedingKeys } from '../invoices/duplicates.ts';
import { accountSeparator, type Invoice } from '../invoices/invoice.ts';
import { type InvoiceRecord, invoiceCollection } from '../invoices/invoice-collection.ts';
import {
  decodeAmounts,
  type InvoicedAmount,
  type LinkedInvoiceRecord,
  type LinkedToTicket,
  toLinked,
} from '../invoices/linked-amounts.ts';
import type { TicketProjection } from '../projections/ticket-projection.ts';
import type { SharedAccount } from './supplier-rules.ts';

const maxCandidates = 50;
/** Their keys are coarse: other numbers may share them. */
const maxPreceding = 500;
const maxLinked = 2_000;
/** Of a contractor. An invoice with an account beyond them goes to review. */
const maxAccounts = 1_000;
/** Of an invoice, and of an account: that a supplier shares one at all is what matters. */
const maxShared = 10;

const duplicateFields = {
  canonical: 1,
  content: 1,
  claims: 1,
  ticket_id: 1,
  reasons: 1,
  acknowledged: 1,
  state: 1,
  provider_status: 1,
  conclusion: 1,
} as const;
const linkedFields = {
  'canonical.kind': 1,
  'canonical.number': 1,
  'canonical.amounts': 1,
  'canonical.references': 1,
  'keys.siren': 1,
  'keys.references': 1,
  ticket_id: 1,
  claims: 1,
} as const;

/** The amounts of all invoices on a ticket, from the index alone. */
const amountsByTicket = { $group: { _id: '$ticket_id', all: { $push: '$linked_amounts' } } };

/** What matching reads of the invoices of a client. Each query uses an index and is bounded. */
export class MatchQueries {
  readonly #invoices: mongo.Collection<InvoiceRecord>;

  constructor({ connection }: { connection: Connection }) {
    this.#invoices = invoiceCollection(connection);
  }

  /** Other invoices with one of the lookup keys, and the holders of the claims that the invoice desires. */
  async duplicateCandidates(invoice: Invoice, keys: string[]): Promise<DuplicateCandidate[]> {
    const { _id, client_id } = invoice;
    // One more than wanted: the invoice itself may be among them.
    const options = { projection: duplicateFields, hint: 'lookupKeys', limit: maxCandidates + 1 };
    const found = await this.#invoices
      .find<DuplicateCandidate>({ client_id, 'keys.lookupKeys': { $in: keys } }, options)
      .toArray();
    // If there are more (all are called "N/A"), the holders of claims may be missing.
    const holders = found.length > maxCandidates ? await this.#claimHolders(invoice) : [];
    const all = new Map([...holders, ...found].map((candidate) => [candidate._id, candidate]));
    return [...all.values()].filter((candidate) => candidate._id !== _id);
  }

  /** Those of the claims that no other invoice holds. */
  async freeClaims({ client_id, _id }: Invoice, claims: string[]): Promise<string[]> {
    if (claims.length === 0) return [];
    const filter = { client_id, claims: { $in: claims, $gt: '' } };
    const holders = await this.#invoices.find(filter, { projection: { claims: 1 }, hint: 'claims' }).toArray();
    const held = new Set(holders.flatMap((one) => (one._id === _id ? [] : one.claims)));
    return claims.filter((claim) => !held.has(claim));
  }

  /** The invoices that a credit note or a corrective invoice names. */
  async preceding(invoice: Invoice): Promise<PrecedingInvoice[]> {
    const keys = precedingKeys(invoice);
    if (keys.length === 0) return [];
    const filter = { client_id: invoice.client_id, 'keys.lookupKeys': { $in: keys } };
    const options = { projection: { 'canonical.number': 1, ticket_id: 1 }, hint: 'lookupKeys', limit: maxPreceding };
    const found = await this.#invoices.find(filter, options).toArray();
    return found
      .filter(({ canonical }) => isNamedBy(canonical, invoice.canonical))
      .map(({ _id, canonical, ticket_id }) => ({ id: _id, number: canonical?.number ?? '', ticketId: ticket_id }));
  }

  /** Whether it is the credit note of an invoice that was refused: the books have nothing to credit. */
  async creditsRefused(invoice: Invoice, siren: string | null): Promise<boolean> {
    const keys = precedingKeys({ ...invoice, keys: { ...invoice.keys, siren } });
    if (invoice.canonical?.kind !== 'credit_note' || keys.length === 0) return false;
    const refused = { 'conclusion.outcome': 'refused', 'keys.lookupKeys': { $in: keys } } as const;
    const options = { projection: { 'canonical.number': 1 }, hint: 'lookupKeys', limit: maxPreceding };
    const found = await this.#invoices.find({ client_id: invoice.client_id, ...refused }, options).toArray();
    return found.some(({ canonical }) => isNamedBy(canonical, invoice.canonical));
  }

  /** The bank accounts of a contractor that links confirmed. */
  async confirmedAccounts(client_id: string, supplier_id: string): Promise<string[]> {
    const confirmed = { $match: { client_id, supplier_id, confirmed_accounts: { $gt: '' } } };
    const distinct = [confirmed, { $group: { _id: '$confirmed_accounts' } }, { $limit: maxAccounts }];
    const found = this.#invoices.aggregate<{ _id: string }>(distinct, { hint: 'accounts' });
    const accounts = (await found.toArray()).flatMap(({ _id }) => _id.split(accountSeparator));
    return [...new Set(accounts)].slice(0, maxAccounts);
  }

  /** Suppliers with another SIREN to whose invoices an account of this invoice belongs too, whether confirmed or not. */
  async sharedAccounts(
    { client_id, canonical, keys }: Invoice,
    ownSiren: string | null = keys.siren,
  ): Promise<SharedAccount[]> {
    const accounts = (canonical?.supplier.accounts ?? []).slice(0, maxShared);
    const shared = accounts.map(async (account) => {
      const on = { client_id, 'canonical.supplier.accounts': account };
      const bySiren = [{ $match: on }, { $group: { _id: '$keys.siren' } }, { $limit: maxShared }];
      const found = await this.#invoices.aggregate<{ _id: string | null }>(bySiren, { hint: 'payees' }).toArray();
      const sirens = found.flatMap(({ _id }) => (_id === null || _id === ownSiren ? [] : _id));
      const options = { projection: { 'canonical.supplier.name': 1 }, hint: 'payees' };
      return Promise.all(
        sirens.sort().map(async (siren) => {
          const one = await this.#invoices.findOne({ ...on, 'keys.siren': siren }, options);
          return { account, siren, name: one?.canonical?.supplier.name ?? null };
        }),
      );
    });
    return (await Promise.all(shared)).flat();
  }

  /** The contractors to which operators linked invoices of this VAT number (`vatKey`). */
  async suppliersOfVat(client_id: string, vat: string): Promise<string[]> {
    const linked = [{ $match: { client_id, confirmed_vat: vat } }, { $group: { _id: '$supplier_id' } }];
    const found = this.#invoices.aggregate<{ _id: string | null }>([...linked, { $limit: maxCandidates }], {
      hint: 'vat',
    });
    return (await found.toArray()).flatMap(({ _id }) => _id ?? []);
  }

  /** The invoices on these tickets, with their amounts and claims. */
  async linkedTo(client_id: string, ticketIds: string[], exceptId = ''): Promise<LinkedToTicket[]> {
    const linked = toLinked(await this.#recordsOn(client_id, ticketIds));
    return linked.filter(({ invoiceId }) => invoiceId !== exceptId);
  }

  /** The same with their numbers, for a person who compares. */
  async invoicedOn(client_id: string, ticketIds: string[], exceptId: string): Promise<InvoicedAmount[]> {
    const records = await this.#recordsOn(client_id, ticketIds);
    const numbers = new Map(records.map(({ _id, canonical }) => [_id, canonical?.number ?? '']));
    return toLinked(records)
      .filter(({ invoiceId }) => invoiceId !== exceptId)
      .map((one) => ({ ...one, number: numbers.get(one.invoiceId) ?? '' }));
  }

  /** The amounts on many tickets, by ticket. Cheaper than `linkedTo`, and without claims. */
  async amountsOn(
    client_id: string,
    tickets: readonly TicketProjection[],
    exceptId: string,
  ): Promise<Map<string, LinkedInvoice[]>> {
    if (tickets.length === 0) return new Map();
    const ticketIds = tickets.map(({ ticket }) => ticket.id);
    const several = new Set(tickets.filter(hasSeveralOrders).map(({ ticket }) => ticket.id));
    const linked = { client_id, ticket_id: { $in: ticketIds }, _id: { $ne: exceptId } };
    const found = await this.#invoices
      .aggregate<{ _id: string; all: (string | null)[] }>([{ $match: linked }, amountsByTicket], { hint: 'linked' })
      .toArray();
    const amounts = found.map(({ _id, all }) => [_id, all.map(decodeAmounts)] as const);
    // Amounts do not show which invoice a corrective one replaces, nor which order one was for: those tickets are read in full.
    const unclear = amounts.filter(([id, all]) => several.has(id) || all.some(({ replaces }) => replaces));
    const linkedTo = await this.linkedTo(
      client_id,
      unclear.map(([id]) => id),
      exceptId,
    );
    const full = Map.groupBy(linkedTo, ({ ticketId }) => ticketId);
    return new Map<string, LinkedInvoice[]>([...amounts, ...full]);
  }

  async #recordsOn(client_id: string, ticketIds: string[]): Promise<LinkedInvoiceRecord[]> {
    if (ticketIds.length === 0) return [];
    const options = { projection: linkedFields, hint: 'linked', limit: maxLinked };
    const found = await this.#invoices.find({ client_id, ticket_id: { $in: ticketIds } }, options).toArray();
    return found.map(({ keys, ...one }) => ({ ...one, siren: keys.siren ?? null, references: keys.references }));
  }

  #claimHolders(invoice: Invoice): Promise<DuplicateCandidate[]> {
    const claims = { $in: desiredClaims(invoice), $gt: '' };
    const options = { projection: duplicateFields, hint: 'claims' };
    return this.#invoices.find<DuplicateCandidate>({ client_id: invoice.client_id, claims }, options).toArray();
  }
}

function hasSeveralOrders({ ticket, purchases }: TicketProjection): boolean {
  return ticket.quotes.length > 1 || purchases.filter(({ kind }) => kind === 'purchase_order').length > 1;
}
