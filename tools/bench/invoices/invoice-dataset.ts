import type { ContractorSnapshot, PurchaseSnapshot } from '@app/contracts';
import { projectPurchase, projectTicket } from '@app/invoice-reconciliation/projections/ticket-projection.ts';
import { hasSirenKey, newId } from '@app/kernel';
import { createTicket } from '@app/ticket/creation/create-ticket.ts';
import { finish } from '@app/ticket/moves/moves.ts';
import type { Ticket } from '@app/ticket/tickets/ticket.ts';
import { typologies } from '@app/ticket/tickets/ticket.ts';
import { ticketSnapshot } from '@app/ticket/tickets/ticket-snapshot.ts';
import type { Collection, MongoClient } from 'mongodb';
import { insertInBatches, unordered } from '../harness/in-batches.ts';
import { purchaseSnapshot } from '../matching/purchase-snapshot.ts';
import { clientActor } from '../tickets/ticket-population.ts';

/** A contractor of the client's directory. */
type Supplier = { id: string; companyId: string; name: string; siren: string };
/** A finished ticket of one contractor, with one order. */
export type MatchableTicket = {
  ticketId: string;
  viewId: string;
  reference: string;
  amount: number;
  supplier: Supplier;
};

/** `isNamed`: it names the order of its ticket; otherwise its amount fits nothing either. */
export type BenchInvoice = { id: string; matchable: MatchableTicket; isNamed: boolean };

const supplierCount = 100;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

export type InvoiceDataset = { client: MongoClient; clientId: string; suppliers: Supplier[] };
type Record = { _id: string } & object;

/** Writes the client's contractors as reconciliation's projection. */
export async function createInvoiceDataset(client: MongoClient, clientId: string): Promise<InvoiceDataset> {
  const sirens = Array.from({ length: supplierCount }, (_, index) => sirenFrom(310_000_000 + index * 1_000));
  const suppliers = sirens.map((siren, index) => ({
    id: newId(),
    companyId: newId(),
    name: `Supplier ${index}`,
    siren,
  }));
  const copies: Collection<Record> = client.db('invoice-reconciliation').collection<Record>('contractor_projections');
  await copies.insertMany(
    suppliers.map(({ id, companyId, name, siren }) => {
      const snapshot: ContractorSnapshot = {
        id,
        version: 1,
        client_id: clientId,
        name,
        company_id: companyId,
        siret: null,
        siren,
      };
      return { _id: id, version: 1, client_id: clientId, siren, snapshot };
    }),
  );
  return { client, clientId, suppliers };
}

function sirenFrom(number: number): string {
  const text = String(number);
  return hasSirenKey(text) ? text : sirenFrom(number + 1);
}

/**
 * Writes finished tickets of the last 20 days with one order each: the documents of the ticket service, made by its own
 * rules, and reconciliation's projections of them.
 */
export async function addMatchableTickets(
  { client, clientId, suppliers }: InvoiceDataset,
  { size, name, progress }: { size: number; name: string; progress: (line: string) => void },
): Promise<MatchableTicket[]> {
  const matchables: MatchableTicket[] = [];
  const make = maker(clientId);
  const [tickets, copies] = [
    client.db('ticket').collection<Record>('tickets'),
    client.db('invoice-reconciliation').collection<Record>('ticket_projections'),
  ];
  await insertInBatches({ size, what: 'tickets with an order', progress }, async (from, count) => {
    const made = Array.from({ length: count }, (_, index) => {
      const supplier = suppliers[(from + index) % suppliers.length] as Supplier;
      return make({ supplier, number: from + index, name });
    });
    matchables.push(...made.map(({ matchable }) => matchable));
    const [ticketBatch, copyBatch] = [made.map(({ ticket }) => ticket), made.map(({ copy }) => copy)];
    await Promise.all([tickets.insertMany(ticketBatch, unordered), copies.insertMany(copyBatch, unordered)]);
  });
  return matchables;
}

type Making = { supplier: Supplier; number: number; name: string };

function maker(clientId: string) {
  const actor = clientActor(clientId);
  return ({ supplier, number, name }: Making) => {
    const finishedAt = new Date(Date.now() - dayMs - ((number * 977) % (19 * 24)) * hourMs);
    const opened = createTicket(
      {
        input: { title: 'Cold room too warm', typology_id: typologies.curatif },
        number: `${name}-${String(number).padStart(7, '0')}`,
        client: { _id: clientId, name: 'Bench invoices' },
        by: actor.user,
        contractor: { id: supplier.id, company_id: supplier.companyId },
      },
      new Date(finishedAt.getTime() - 10 * dayMs),
    );
    const { ticket } = finish(opened, actor, finishedAt, { reserve: null });
    const order = orderOn(ticket, supplier, { reference: `CF${name}${String(number).padStart(7, '0')}`, number });
    const viewId = ticket.views.find(({ role }) => role === 'contractor')?._id ?? '';
    const matchable: MatchableTicket = {
      ticketId: ticket._id,
      viewId,
      reference: order.reference,
      amount: order.amount ?? 0,
      supplier,
    };
    return { ticket, copy: copyOf(ticket, order), matchable };
  };
}

function orderOn(ticket: Ticket, supplier: Supplier, given: { reference: string; number: number }): PurchaseSnapshot {
  const order = purchaseSnapshot({
    id: newId(),
    ticket_id: ticket._id,
    buyer_company_id: ticket.client_id,
    kind: 'purchase_order',
    reference: given.reference,
    amount: 200 + (given.number % 50_000) / 10,
    at: ticket.created_at.toISOString(),
  });
  return { ...order, supplier_company_id: supplier.companyId, supplier_contractor_id: supplier.id };
}

function copyOf(ticket: Ticket, order: PurchaseSnapshot) {
  const snapshot = { ...ticketSnapshot(ticket), last_intervention_at: ticket.updated_at.toISOString() };
  return { ...projectTicket(snapshot, [projectPurchase(order)]), _id: ticket._id, revision: 1 };
}
