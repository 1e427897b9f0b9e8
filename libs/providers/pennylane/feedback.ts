import type { HeardStatuses, InvoiceOutcome, StatusReason } from '@app/contracts';
import type { ProviderHttp } from '../http/http-client.ts';
import { list, record, text } from '../parsing/json.ts';
import type { Feedback, FeedbackResult } from '../provider.ts';
import { isAbsent } from '../provider-error.ts';
import { numberOf } from './purchase-request.ts';

type Call = { http: ProviderHttp; signal: AbortSignal | undefined };

type Words = Partial<Record<StatusReason, string>>;
/** Their words for our reasons, by the status that they go with. */
const disputeReasons: Words = {
  vat_rate: 'incorrect_vat_rate',
  unit_price: 'incorrect_unit_prices',
  quantity: 'incorrect_billed_quantity',
  item: 'incorrect_billed_item',
  quality: 'defective_delivered_item',
  delivery: 'delivery_issue',
  payment_terms: 'incorrect_payment_terms',
  non_compliant: 'missing_legal_notice',
  contract_reference: 'missing_contractual_reference',
  recipient: 'recipient_error',
};
const refusalReasons: Words = {
  vat_rate: 'incorrect_vat_rate',
  total: 'incorrect_prices',
  arithmetic: 'incorrect_prices',
  recipient: 'recipient_error',
  contract_ended: 'contract_completed',
  duplicate: 'duplicate_invoice',
  billed_twice: 'duplicate_invoice',
  non_compliant: 'non_compliant_invoice',
};
const reasonsIn = (words: Words) => Object.keys(words) as StatusReason[];

/** E-invoices can be disputed and refused; an approval ends a dispute. Pennylane passes on no other status, and no sentence. */
export const pennylaneStatuses: HeardStatuses = {
  taken_in_charge: { reasons: [] },
  disputed: { reasons: reasonsIn(disputeReasons) },
  approved: { reasons: [], onlyAfter: 'disputed' },
  refused: { reasons: reasonsIn(refusalReasons) },
};
const statusWords: Partial<Record<InvoiceOutcome, Words>> = {
  disputed: disputeReasons,
  approved: {},
  refused: refusalReasons,
};

/**
 * Pennylane has no status for "linked to a ticket". So the purchase request with the order's number is linked; if there is none,
 * the reference is written to `external_reference`, unless somebody else wrote another one there. The accountant's label is
 * not changed. Each step reads first, so that a repetition changes nothing.
 */
export async function sendFeedback(call: Call, feedback: Feedback): Promise<FeedbackResult> {
  const { externalId, outcome, poRef, ticket, reportedBefore = [] } = feedback;
  const path = ['supplier_invoices', externalId];
  const { external_reference, e_invoicing } = record(await call.http.json({ path, signal: call.signal }));
  const reference = text(external_reference);
  const names = (link: Pick<Feedback, 'ticket' | 'poRef'>) =>
    reference !== null && [link.poRef, link.ticket?.number].includes(reference);
  const isReplaced = !names(feedback) && reportedBefore.some(names);
  await setStatus(call, path, { feedback, status: text(record(e_invoicing)['status']) });
  // Pennylane can undo neither a refusal nor a link to a purchase request; a reference is removed only if it was written by us.
  if (outcome === 'refused' || outcome === 'reversed') {
    if (names(feedback) || isReplaced) await setReference(call, path, null);
  } else if (outcome === 'taken_in_charge') {
    if (poRef !== null && (await linkPurchaseRequest(call, path, poRef))) {
      if (isReplaced) await setReference(call, path, null);
    } else if (ticket !== null && (reference === null || isReplaced)) {
      await setReference(call, path, poRef ?? ticket.number);
    }
  }
  return { state: 'accepted' };
}

type Wanted = { feedback: Feedback; status: string | null };

/** Only e-invoices have a status, and their disputes are `in_dispute` then. */
async function setStatus({ http, signal }: Call, path: string[], { feedback, status }: Wanted): Promise<void> {
  const { outcome, details } = feedback;
  const words = statusWords[outcome];
  if (words === undefined || (status === 'in_dispute' ? 'disputed' : status) === outcome) return;
  const reason = details.reason === null ? undefined : words[details.reason];
  const body = { status: outcome, ...(reason !== undefined && { reason }) };
  await http.bytes({ method: 'put', path: [...path, 'e_invoice_status'], body, signal });
}

async function setReference({ http, signal }: Call, path: string[], reference: string | null): Promise<void> {
  await http.bytes({ method: 'put', path, body: { external_reference: reference }, signal });
}

/** Links the purchase request with this number; false if there is not exactly one. */
async function linkPurchaseRequest(call: Call, path: string[], poRef: string): Promise<boolean> {
  const linked = [...path, 'linked_purchase_requests'];
  if ((await findByNumber(call, linked, poRef)).length > 0) return true;
  const filter = JSON.stringify([{ field: 'purchase_order_number', operator: 'eq', value: poRef }]);
  const [found, ...others] = await findByNumber(call, ['purchase_requests'], poRef, filter);
  // If two have the same number, people decide.
  if (found === undefined || others.length > 0) return false;
  try {
    await call.http.bytes({ method: 'post', path: linked, body: { purchase_request_id: found }, signal: call.signal });
    return true;
  } catch (error) {
    // An earlier attempt whose response was lost may have linked it, or it no longer accepts links.
    if (isAbsent(error)) return (await findByNumber(call, linked, poRef)).length > 0;
    throw error;
  }
}

/** Ids of the purchase requests with exactly this number; none if the key may not read them. */
async function findByNumber({ http, signal }: Call, path: string[], poRef: string, filter: string | null = null) {
  try {
    const items = list(record(await http.json({ path, query: { limit: 100, filter }, signal }))['items']).map(record);
    return items.filter((item) => numberOf(item) === poRef).map((item) => item['id']);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
