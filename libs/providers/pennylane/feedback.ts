import type { Refusal } from '@app/contracts';
import type { ProviderHttp } from '../http/http-client.ts';
import { list, record, text } from '../parsing/json.ts';
import type { Feedback } from '../provider.ts';
import { isAbsent } from '../provider-error.ts';
import { numberOf } from './purchase-request.ts';

type Call = { http: ProviderHttp; signal: AbortSignal | undefined };

/**
 * Pennylane has no status for "linked to a ticket". So the purchase request with the order's number is linked; if there is none,
 * the reference is written to `external_reference`, unless somebody else wrote another one there. The accountant's label is
 * not changed. Each step reads first, so that a repetition changes nothing.
 */
export async function sendFeedback(call: Call, feedback: Feedback): Promise<void> {
  const { externalId, outcome, poRef, ticket, refusal, reportedBefore = [] } = feedback;
  const path = ['supplier_invoices', externalId];
  const { external_reference, e_invoicing } = record(await call.http.json({ path, signal: call.signal }));
  const status = text(record(e_invoicing)['status']);
  const reference = text(external_reference);
  const names = (link: Pick<Feedback, 'ticket' | 'poRef'>) =>
    reference !== null && [link.poRef, link.ticket?.number].includes(reference);
  const isReplaced = !names(feedback) && reportedBefore.some(names);
  if (outcome === 'refused' && refusal && status !== 'refused') await refuse(call, path, refusal);
  // Pennylane can undo neither a refusal nor a link to a purchase request; a reference is removed only if it was written by us.
  if (outcome !== 'taken_in_charge') {
    if (names(feedback) || isReplaced) await setReference(call, path, null);
  } else if (poRef !== null && (await linkPurchaseRequest(call, path, poRef))) {
    if (isReplaced) await setReference(call, path, null);
  } else if (ticket !== null && (reference === null || isReplaced)) {
    await setReference(call, path, poRef ?? ticket.number);
  }
}

/** Their words for our codes. */
const refusalReasons: Record<Refusal['code'], string> = {
  vat_rate: 'incorrect_vat_rate',
  amounts: 'incorrect_prices',
  recipient: 'recipient_error',
  contract_ended: 'contract_completed',
  duplicate: 'duplicate_invoice',
  non_compliant: 'non_compliant_invoice',
};

/** Only e-invoices have a status to refuse them by; Pennylane does not take the sentence. */
async function refuse({ http, signal }: Call, path: string[], { code }: Refusal): Promise<void> {
  const body = { status: 'refused', reason: refusalReasons[code] };
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
