import { newId } from '@app/kernel';
import { duplicateMarks, referenceKeys } from '@app/matching';
import { insertInBatches, unordered } from '../harness/in-batches.ts';
import type { InvoiceDataset, MatchableTicket } from './invoice-dataset.ts';

const dayMs = 86_400_000;
/** One in ten was linked by hand, which confirmed its IBAN. */
const byHandEvery = 10;
const suggested = 5;
/**
 * The suggested tickets are this far apart in `matchables`, so that they are of one contractor:
 * contractors come in turn there.
 */
const suggestedApart = 100;
const iban = 'FR7630006000011234567890189';

/**
 * Writes invoices of the last year as reconciliation leaves them: every second one on a ticket, the others in the queue.
 * @param matchables the tickets that they are linked to, in turn
 */
export async function addPastInvoices(
  { client, clientId }: InvoiceDataset,
  {
    size,
    matchables,
    progress,
  }: { size: number; matchables: readonly MatchableTicket[]; progress: (line: string) => void },
): Promise<void> {
  const invoices = client.db('invoice-reconciliation').collection<{ _id: string }>('invoices');
  const connectionId = newId();
  const start = Date.now() - 365 * dayMs;
  await insertInBatches({ size, what: 'invoices', progress }, async (from, count) => {
    const batch = Array.from({ length: count }, (_, offset) => {
      const number = from + offset;
      const matchable = matchables[number % matchables.length] as MatchableTicket;
      const at = new Date(start + Math.floor((364 * dayMs * number) / size));
      const common = { ...commonFields({ number, matchable, at }), client_id: clientId, connection_id: connectionId };
      return number % 2 === 0
        ? { ...common, ...linkedFields({ number, matchable, at }) }
        : { ...common, ...queuedFields({ number, at, matchables }) };
    });
    await invoices.insertMany(batch, unordered);
  });
}

type PastInvoice = { number: number; matchable: MatchableTicket; at: Date };

function commonFields({ number, matchable: { supplier }, at }: PastInvoice) {
  const text = String(number).padStart(8, '0');
  const ht = 100 + (number % 90_000) / 10;
  const [tva, ttc] = [round(ht * 0.2), round(ht * 1.2)];
  const order = `OLD${text}`;
  const own = `${supplier.siren}:OF${number}`;
  const key = `${own}:${at.getUTCFullYear()}`;
  const canonical = {
    kind: 'invoice',
    number: `OF-${text}`,
    issueDate: at.toISOString().slice(0, 10),
    dueDate: null,
    currency: 'EUR',
    supplier: {
      externalId: null,
      name: supplier.name,
      siren: supplier.siren,
      siret: null,
      vatNumber: null,
      accounts: [iban],
    },
    buyer: null,
    amounts: { ht, tva, ttc },
    lines: [],
    notes: [],
    places: [],
    vatBreakdown: [{ rate: 0.2, base: ht, amount: tva }],
    references: [{ kind: 'order', value: order }],
    providerStatus: 'received',
    matchHints: { poRef: order, ticketRef: null, orderRef: null },
  };
  return {
    _id: newId(at),
    provider: 'sandbox',
    external_id: `old-${text}`,
    canonical,
    provider_status: 'received',
    content: {
      raw: { key: `old-${text}`, hash: text.repeat(8), size: 900, type: 'application/json' },
      document: null,
      fetched_at: at,
      sequence: at.getTime(),
    },
    created_at: at,
    updated_at: at,
    version: 7,
    supplier_id: supplier.id,
    supplier_ids: [supplier.id],
    flags: [],
    reasons: [],
    acknowledged: [],
    suggestions: [],
    refused_tickets: [],
    failure: null,
    ticket_id: null,
    view_id: null,
    matched_by: null,
    line_version: 0,
    line_added_at: null,
    link_version: 0,
    confirmed_accounts: null,
    feedback: null,
    keys: {
      lookupKeys: [`n:${key}`, `p:${own}`],
      references: referenceKeys(order),
      siren: supplier.siren,
      amounts: [ht, ttc].map((amount) => `${supplier.id}:${Math.round(amount * 100)}`),
    },
    claims: duplicateMarks({ key, number: canonical.number, ttc, hash: null }).map((mark) => `n:${mark}`),
    due_at: null,
    rematch_at: null,
    outbox: [],
    linked_amounts: `invoice ${ht} ${ttc}`,
  };
}

function linkedFields({ number, matchable, at }: PastInvoice) {
  const moves = [
    'received',
    'normalized',
    'supplier_matched',
    'ticket_matched',
    'feedback_pending',
    'feedback_sent',
    'done',
  ];
  return {
    state: 'done',
    ticket_id: matchable.ticketId,
    view_id: matchable.viewId,
    matched_by: number % byHandEvery === 0 ? 'operator' : 'machine',
    line_version: 1,
    line_added_at: at,
    link_version: 1,
    confirmed_accounts: iban,
    feedback: {
      version: 1,
      outcome: 'taken_in_charge',
      result: 'sent',
      po_ref: matchable.reference,
      ticket: { id: matchable.ticketId, number: 'T-000001' },
    },
    history: historyOf(moves, at),
  };
}

/** With as many suggestions as a new invoice gets, so that a page of old ones weighs as much. */
function queuedFields({
  number,
  at,
  matchables,
}: Pick<PastInvoice, 'number' | 'at'> & { matchables: readonly MatchableTicket[] }) {
  const suggestions = Array.from({ length: suggested }, (_, index) => {
    const matchable = matchables[(number + index * suggestedApart) % matchables.length] as MatchableTicket;
    return suggestionOf(matchable, at);
  });
  return {
    state: 'ticket_unmatched',
    suggestions,
    history: historyOf(['received', 'normalized', 'supplier_matched', 'ticket_unmatched'], at),
  };
}

function suggestionOf({ ticketId, viewId, reference, amount, supplier }: MatchableTicket, at: Date) {
  const reasons = [
    `${supplier.name} is the contractor of the ticket`,
    `amount may be a part of order ${reference}, ${amount.toFixed(2)} EUR without VAT`,
    `issued 12 days after the intervention of ${at.toISOString().slice(0, 10)}`,
    'the ticket is finished',
  ];
  return { ticketId, viewId, number: reference, title: 'Cold room too warm', score: 30, reasons };
}

function historyOf(moves: string[], at: Date) {
  return moves.map((to, index) => ({ at, from: moves[index - 1] ?? null, to, reason: null }));
}

function round(amount: number): number {
  return Math.round(amount * 100) / 100;
}
