import type { Actors } from './actors.ts';
import { check, step } from './print.ts';
import type { DemoReceiver, ReceivedEvent } from './webhook-receiver.ts';

type Purchase = { id: string; kind: string; supplier_company_id: string | null; document_id: string | null };
type Listed = { _id: string; kind: string; source: string; s3_key: string | null };

const orderPdf = `%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n% a purchase order for the demo\n%%EOF\n`;

/** Recommended flow, step 5, first half: a request for the quote, then the order with its file. Returns the order's id. */
export async function orderQuote(
  { purchasing, first, second }: Actors,
  path: string,
  quoteId: string,
): Promise<string> {
  step('The purchasing system raises a purchase request for the quote; sent twice, it is created once');
  const request = { kind: 'purchase_request', reference: 'DA-2026-0042', source_system: 'ERP', quote_id: quoteId };
  const created = await purchasing(`POST ${path}/purchases`, request);
  const again = await purchasing(`POST ${path}/purchases`, request);
  check(created.status === 201 && again.status === 200, '201 the first time, 200 the second');
  check(purchaseOf(created.body).id === purchaseOf(again.body).id, 'and it is the same document');

  step('Then the purchase order, with `quote_id`, and its file');
  const order = await purchasing(`POST ${path}/purchases`, {
    kind: 'purchase_order',
    reference: 'BC-2026-0042',
    source_system: 'ERP',
    quote_id: quoteId,
    amount: 1234.56,
  });
  const { id, supplier_company_id } = purchaseOf(order.body);
  check(supplier_company_id === first.id, 'its supplier is the contractor of the ticket');
  const form = new FormData();
  form.append('file', new Blob([orderPdf]), 'commande.pdf');
  const attached = await purchasing(`POST ${path}/purchases/${id}/document`, form);
  check(purchaseOf(attached.body).document_id !== null, 'the file stands in the ticket’s Documents tab');

  const seen = async (api: Actors['purchasing']) => (await api(`GET ${path}`)).body['purchases'] as Listed[];
  check((await seen(purchasing)).length === 2, 'the buyer reads both in `purchases`, right after the answer');
  const own = await seen(first.api);
  check(own.length === 1 && own[0]?.kind === 'purchase_order', 'its supplier reads the order, and not the request');
  const link = await first.api(`GET ${path}/documents/download-link?s3_key=${own[0]?.s3_key}`);
  const file = await fetch(String(link.body['download_url']));
  check((await file.text()) === orderPdf, 'and opens its file');
  check((await seen(second.api)).length === 0, 'the contractor who declined sees none');
  return id;
}

/** Step 5, second half: the receipt attests that the work was done. */
export async function addReceipt({ purchasing }: Actors, path: string, orderId: string): Promise<void> {
  step('The work is done: the goods receipt, with `purchase_order_id`');
  const receipt = { kind: 'goods_receipt', reference: 'BR-2026-0042', purchase_order_id: orderId };
  const created = await purchasing(`POST ${path}/purchases`, receipt);
  check(created.status === 201, 'the order has its receipt');
}

/** Step 6: the client's endpoint received an event for each new document, once. */
export function checkPurchaseEvents({ events }: DemoReceiver): void {
  const kinds = purchaseEvents(events).map(({ data }) => (data['purchase'] as { kind: string }).kind);
  const expected = ['goods_receipt', 'purchase_order', 'purchase_request'];
  check(kinds.sort().join() === expected.join(), '`ticket.purchase_added` arrived once for each of the three');
}

export function purchaseEvents(events: ReceivedEvent[]): ReceivedEvent[] {
  return events.filter(({ event }) => event === 'ticket.purchase_added');
}

function purchaseOf(body: Record<string, unknown>): Purchase {
  return body['purchase'] as Purchase;
}
