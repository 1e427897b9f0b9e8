import { newId } from '@app/kernel';
import { referenceKeys } from '@app/matching';
import { inBatches } from './invoice-batches.ts';
import type { Job, World } from './invoice-world.ts';

const dayMs = 86_400_000;
/** One in ten was put on its ticket by hand, which confirmed its IBAN. */
const byHandEvery = 10;
const suggested = 5;
/** Of one contractor: jobs go to them in turn. */
const suggestedApart = 100;
const iban = 'FR7630006000011234567890189';

/**
 * Invoices of the last year, as reconciliation would have left them: every second one on a ticket, the others in the queue.
 * @param jobs the tickets that they stand on, in turn
 */
export async function addOldInvoices(
  { client, clientId }: World,
  { size, jobs, progress }: { size: number; jobs: readonly Job[]; progress: (done: number) => void },
): Promise<void> {
  const invoices = client.db('invoice-reconciliation').collection<{ _id: string }>('invoices');
  const connectionId = newId();
  const start = Date.now() - 365 * dayMs;
  await inBatches(size, progress, async (from, count) => {
    const batch = Array.from({ length: count }, (_, offset) => {
      const number = from + offset;
      const job = jobs[number % jobs.length] as Job;
      const at = new Date(start + Math.floor((364 * dayMs * number) / size));
      const common = { ...identityOf({ number, job, at }), client_id: clientId, connection_id: connectionId };
      return number % 2 === 0
        ? { ...common, ...placed({ number, job, at }) }
        : { ...common, ...waiting({ number, at, jobs }) };
    });
    await invoices.insertMany(batch, { ordered: false, writeConcern: { w: 1, journal: false } });
  });
}

type Old = { number: number; job: Job; at: Date };

function identityOf({ number, job: { trader }, at }: Old) {
  const text = String(number).padStart(8, '0');
  const ht = 100 + (number % 90_000) / 10;
  const [tva, ttc] = [round(ht * 0.2), round(ht * 1.2)];
  const references = [{ kind: 'order', value: `OLD${text}` }];
  const supplier = { externalId: null, name: trader.name, siren: trader.siren, siret: null, vatNumber: null, iban };
  const canonical = {
    ...{ kind: 'invoice', number: `OF-${text}`, issueDate: at.toISOString().slice(0, 10), dueDate: null },
    ...{ currency: 'EUR', supplier, buyer: null, amounts: { ht, tva, ttc }, lines: [], notes: [], places: [] },
    ...{ vatBreakdown: [{ rate: 0.2, base: ht, amount: tva }], references, providerStatus: 'received' },
    matchHints: { poRef: references[0]?.value ?? null, ticketRef: null, orderRef: null },
  };
  const own = `${trader.siren}:OF${number}`;
  return {
    ...{ _id: newId(at), provider: 'sandbox', external_id: `old-${text}`, canonical, provider_status: 'received' },
    content: {
      raw: { key: `old-${text}`, hash: text.repeat(8), size: 900, type: 'application/json' },
      document: null,
      fetched_at: at,
    },
    ...{ created_at: at, updated_at: at, version: 7, supplier_id: trader.id, supplier_ids: [trader.id] },
    ...{ flags: [], reasons: [], acknowledged: [], suggestions: [], refused_tickets: [], failure: null },
    keys: {
      twins: [`n:${own}:${at.getUTCFullYear()}`, `p:${own}`],
      references: referenceKeys(`OLD${text}`),
      siren: trader.siren,
      amounts: [ht, ttc].map((amount) => `${trader.id}:${Math.round(amount * 100)}`),
    },
    claims: [`n:${own}:${at.getUTCFullYear()}:${Math.round(ttc * 100)}`],
    ...{ due_at: null, rematch_at: null, outbox: [], counts: `invoice ${ht} ${ttc}` },
  };
}

function placed({ number, job, at }: Old) {
  const isByHand = number % byHandEvery === 0;
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
    ...{ state: 'done', ticket_id: job.ticketId, view_id: job.viewId, matched_by: isByHand ? 'operator' : 'machine' },
    ...{ line_version: 1, line_added_at: at, link_version: 1, confirmed_iban: isByHand ? iban : null },
    feedback: {
      ...{ version: 1, outcome: 'taken_in_charge', result: 'sent', po_ref: job.reference },
      ticket: { id: job.ticketId, number: 'T-000001' },
    },
    history: historyOf(moves, at),
  };
}

/** With as many suggestions, as long, as one has that comes in: a page of the old ones is then as heavy as one of the new. */
function waiting({ number, at, jobs }: Pick<Old, 'number' | 'at'> & { jobs: readonly Job[] }) {
  const suggestions = Array.from({ length: suggested }, (_, index) => {
    const job = jobs[(number + index * suggestedApart) % jobs.length] as Job;
    return suggestionOf(job, at);
  });
  return {
    ...{ state: 'ticket_unmatched', ticket_id: null, view_id: null, matched_by: null, line_version: 0 },
    ...{ line_added_at: null, link_version: 0, confirmed_iban: null, feedback: null, suggestions },
    history: historyOf(['received', 'normalized', 'supplier_matched', 'ticket_unmatched'], at),
  };
}

function suggestionOf({ ticketId, viewId, reference, amount, trader }: Job, at: Date) {
  const reasons = [
    `${trader.name} is the contractor of the ticket`,
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
