import type { TicketApi } from '@app/api-client';
import type { Actors } from './actors.ts';
import { check, ok, step } from './print.ts';
import type { DemoReceiver, ReceivedEvent } from './webhook-receiver.ts';

const orderPdf = `%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n% a purchase order for the demo\n%%EOF\n`;

/** Recommended flow, step 5, first half: a request for the quote, then the order with its file. Returns the order's id. */
export async function orderQuote(
  { purchasing, first, second }: Actors,
  ticket_id: string,
  quote_id: string,
): Promise<string> {
  const params = { path: { ticket_id } };
  step('The purchasing system raises a purchase request for the quote; sent twice, it is created once');
  const request = { kind: 'purchase_request', reference: 'DA-2026-0042', source_system: 'ERP', quote_id } as const;
  const raise = () => purchasing.POST('/api/v3.0/tickets/{ticket_id}/purchases', { params, body: request });
  const [created, again] = [await raise(), await raise()];
  check(created.response.status === 201 && again.response.status === 200, '201 the first time, 200 the second');
  check(created.data?.purchase.id === again.data?.purchase.id, 'and it is the same document');

  step('Then the purchase order, with `quote_id`, and its file');
  const order = { kind: 'purchase_order', reference: 'BC-2026-0042', source_system: 'ERP', quote_id } as const;
  const { purchase } = await ok(
    purchasing.POST('/api/v3.0/tickets/{ticket_id}/purchases', { params, body: { ...order, amount: 1234.56 } }),
  );
  check(purchase.supplier_company_id === first.id, 'its supplier is the contractor of the ticket');
  const attached = await ok(
    purchasing.POST('/api/v3.0/tickets/{ticket_id}/purchases/{purchase_id}/document', {
      params: { path: { ticket_id, purchase_id: purchase.id } },
      body: { file: new File([orderPdf], 'commande.pdf') },
    }),
  );
  check(attached.purchase.document_id !== null, 'the file stands in the ticket’s Documents tab');

  const seenBy = async (api: TicketApi) => (await ok(api.GET('/api/v3.0/tickets/{ticket_id}', { params }))).purchases;
  check((await seenBy(purchasing)).length === 2, 'the buyer reads both in `purchases`, right after the answer');
  const own = await seenBy(first.api);
  check(own.length === 1 && own[0]?.kind === 'purchase_order', 'its supplier reads the order, and not the request');
  const query = { s3_key: own[0]?.s3_key ?? '' };
  const link = await ok(
    first.api.GET('/api/v3.0/tickets/{ticket_id}/documents/download-link', { params: { ...params, query } }),
  );
  const file = await fetch(link.download_url);
  check((await file.text()) === orderPdf, 'and opens its file');
  check((await seenBy(second.api)).length === 0, 'the contractor who declined sees none');
  return purchase.id;
}

/** Step 5, second half: the receipt attests that the work was done. */
export async function addReceipt({ purchasing }: Actors, ticket_id: string, orderId: string): Promise<void> {
  step('The work is done: the goods receipt, with `purchase_order_id`');
  const receipt = { kind: 'goods_receipt', reference: 'BR-2026-0042', purchase_order_id: orderId } as const;
  const params = { path: { ticket_id } };
  const { response } = await purchasing.POST('/api/v3.0/tickets/{ticket_id}/purchases', { params, body: receipt });
  check(response.status === 201, 'the order has its receipt');
}

/** Step 6: the client's endpoint received an event for each new document, once. */
export function checkPurchaseEvents({ events }: DemoReceiver): void {
  const kinds = purchaseEvents(events).map(({ data }) => (data['purchase'] as { kind: string }).kind);
  const expected = ['goods_receipt', 'purchase_order', 'purchase_request'];
  check(kinds.sort().join() === expected.join(), '`ticket.purchase_added` arrived once for each of the three');
}

function purchaseEvents(events: ReceivedEvent[]): ReceivedEvent[] {
  return events.filter(({ event }) => event === 'ticket.purchase_added');
}
