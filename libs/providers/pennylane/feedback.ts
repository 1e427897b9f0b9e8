import type { ProviderHttp } from '../http-client.ts';
import { list, record, text } from '../json.ts';
import type { Feedback } from '../provider.ts';
import { isAbsent } from '../provider-error.ts';
import { numberOf } from './purchase-request.ts';

type Call = { http: ProviderHttp; signal: AbortSignal | undefined };

/**
 * Reconciled is not approved, and Pennylane has no neutral status: the purchase request with the order's number is linked
 * where there is one; else the reference goes into `external_reference` where it is empty, or says another link that the
 * invoice had. The accountant's label is never touched. Each step looks first, so that a repetition changes nothing.
 */
export async function sendFeedback(call: Call, feedback: Feedback): Promise<void> {
  const { externalId, outcome, poRef, ticket, reportedBefore = [] } = feedback;
  const path = ['supplier_invoices', externalId];
  const { external_reference } = record(await call.http.json({ path, signal: call.signal }));
  const reference = text(external_reference);
  const isOf = (told: Pick<Feedback, 'ticket' | 'poRef'>) =>
    reference !== null && [told.poRef, told.ticket.number].includes(reference);
  const isOld = !isOf(feedback) && reportedBefore.some(isOf);
  // A link stays, Pennylane has no way to undo it; a reference goes where it is one that was set.
  if (outcome === 'reversed') {
    if (isOf(feedback) || isOld) await setReference(call, path, null);
  } else if (poRef !== null && (await linkPurchaseRequest(call, path, poRef))) {
    if (isOld) await setReference(call, path, null);
  } else if (reference === null || isOld) {
    await setReference(call, path, poRef ?? ticket.number);
  }
}

async function setReference({ http, signal }: Call, path: string[], reference: string | null): Promise<void> {
  await http.bytes({ method: 'put', path, body: { external_reference: reference }, signal });
}

/** Whether the one purchase request with this number is linked now. */
async function linkPurchaseRequest(call: Call, path: string[], poRef: string): Promise<boolean> {
  const linked = [...path, 'linked_purchase_requests'];
  if ((await numbered(call, linked, poRef)).length > 0) return true;
  const filter = JSON.stringify([{ field: 'purchase_order_number', operator: 'eq', value: poRef }]);
  const [found, ...others] = await numbered(call, ['purchase_requests'], poRef, filter);
  // Two with one number: which of them is for people to say.
  if (found === undefined || others.length > 0) return false;
  try {
    await call.http.bytes({ method: 'post', path: linked, body: { purchase_request_id: found }, signal: call.signal });
    return true;
  } catch (error) {
    // It may be linked by a first try whose answer was lost, or be no longer open to links.
    if (isAbsent(error)) return (await numbered(call, linked, poRef)).length > 0;
    throw error;
  }
}

/** Ids of the purchase requests there with exactly this number; none where the key may not read them. */
async function numbered({ http, signal }: Call, path: string[], poRef: string, filter: string | null = null) {
  try {
    const items = list(record(await http.json({ path, query: { limit: 100, filter }, signal }))['items']).map(record);
    return items.filter((item) => numberOf(item) === poRef).map((item) => item['id']);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
