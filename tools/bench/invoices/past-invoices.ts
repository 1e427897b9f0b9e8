import type { CanonicalInvoice } from '@app/contracts';
import type { Invoice } from '@app/invoice-reconciliation/invoices/invoice.ts';
import type { InvoiceRecord } from '@app/invoice-reconciliation/invoices/invoice-collection.ts';
import { newId } from '@app/kernel';
import { duplicateMarks, referenceKeys } from '@app/matching';
import { insertInBatches, unordered } from '../harness/in-batches.ts';
import type { InvoiceDataset, MatchableTicket } from './invoice-dataset.ts';

const dayMs = 86_400_000;
/** One in ten was linked by hand, which confirmed its IBAN. */
const byHandEvery = 10;
/**
 * The suggested tickets are this far apart in `matchables`, so that they are of one contractor:
 * contractors come in turn there.
 */
const suggestedApart = 100;

type Filling = { size: number; matchables: readonly MatchableTicket[]; progress: (line: string) => void };
type Past = { number: number; at: Date; matchables: readonly MatchableTicket[] };

/**
 * Writes invoices of the last year: copies of one that reconciliation has just linked, and of one that it left in the queue, by
 * turns. Each is of its own number, supplier, order and amount.
 * @param matchables the tickets that they are linked to, in turn
 */
export async function addPastInvoices(
  { client, clientId }: InvoiceDataset,
  { size, matchables, progress }: Filling,
): Promise<void> {
  const invoices = client.db('invoice-reconciliation').collection<InvoiceRecord>('invoices');
  const like = async (state: Invoice['state']) =>
    (await invoices.findOne({ client_id: clientId, state }, { projection: { outbox: 0 } })) as InvoiceRecord;
  const [linked, queued] = [await like('done'), await like('ticket_unmatched')];
  const start = Date.now() - 365 * dayMs;
  await insertInBatches({ size, what: 'invoices', progress }, async (from, count) => {
    const batch = Array.from({ length: count }, (_, offset) => {
      const number = from + offset;
      const past = { number, at: new Date(start + Math.floor((364 * dayMs * number) / size)), matchables };
      return number % 2 === 0 ? linkedLike(linked, past) : queuedLike(queued, past);
    });
    await invoices.insertMany(batch, unordered);
  });
}

function linkedLike(invoice: InvoiceRecord, past: Past): InvoiceRecord {
  const { ticketId, viewId, reference } = matchableAt(past);
  const feedback = { ...invoice.feedback, po_ref: reference, ticket: { id: ticketId, number: 'T-000001' } };
  return {
    ...copyOf(invoice, past),
    ticket_id: ticketId,
    view_id: viewId,
    matched_by: past.number % byHandEvery === 0 ? 'operator' : 'machine',
    line_added_at: past.at,
    confirmed_accounts: 'FR7630006000011234567890189',
    feedback: feedback as Invoice['feedback'],
  };
}

/** With as many suggestions as the original, so that a page of old ones weighs as much. */
function queuedLike(invoice: InvoiceRecord, past: Past): InvoiceRecord {
  const suggestions = invoice.suggestions.map((suggestion, index) => {
    const { ticketId, viewId, reference } = matchableAt(past, index * suggestedApart);
    return { ...suggestion, ticketId, viewId, number: reference };
  });
  return { ...copyOf(invoice, past), suggestions };
}

function copyOf(invoice: InvoiceRecord, past: Past): InvoiceRecord {
  const { number, at } = past;
  const { supplier } = matchableAt(past);
  const digits = String(number).padStart(8, '0');
  const ht = 100 + (number % 90_000) / 10;
  const ttc = Math.round(ht * 120) / 100;
  const order = `OLD${digits}`;
  const own = `${supplier.siren}:OF${number}`;
  const key = `${own}:${at.getUTCFullYear()}`;
  const canonical = invoice.canonical as CanonicalInvoice;
  return {
    ...invoice,
    _id: newId(at),
    external_id: `old-${digits}`,
    created_at: at,
    updated_at: at,
    canonical: {
      ...canonical,
      number: `OF-${digits}`,
      issueDate: at.toISOString().slice(0, 10),
      supplier: { ...canonical.supplier, name: supplier.name, siren: supplier.siren },
      amounts: { ht, tva: Math.round(ht * 20) / 100, ttc },
      references: [{ kind: 'order', value: order }],
      matchHints: { poRef: order, ticketRef: null, orderRef: null },
    },
    supplier_id: supplier.id,
    supplier_ids: [supplier.id],
    keys: {
      lookupKeys: [`n:${key}`, `p:${own}`],
      references: [...referenceKeys(order)],
      siren: supplier.siren,
      amounts: [ht, ttc].map((amount) => `${supplier.id}:${Math.round(amount * 100)}`),
    },
    claims: duplicateMarks({ key, number: `OF-${digits}`, ttc, hash: null }).map((mark) => `n:${mark}`),
    linked_amounts: `invoice ${ht} ${ttc}`,
    words: [],
  };
}

function matchableAt({ number, matchables }: Past, further = 0): MatchableTicket {
  return matchables[(number + further) % matchables.length] as MatchableTicket;
}
