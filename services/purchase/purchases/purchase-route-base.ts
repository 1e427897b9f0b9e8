import { type PurchaseKind, purchaseKinds } from '@app/contracts';
import { id, type Route } from '@app/http';
import Joi from 'joi';
import { type TicketClient, tokenOf } from '../tickets/ticket-client.ts';
import type { TicketContext } from '../tickets/ticket-context.ts';
import { isVisibleTo, type Purchase, purchaseNotFound } from './purchase.ts';
import type { PurchaseStore } from './purchase-store.ts';

export const purchasesPath = '/api/v3.0/tickets/:ticket_id/purchases';

export type TicketParams = { ticket_id: string };
export type PurchaseParams = TicketParams & { purchase_id: string };
/** What a path names: the ticket as the caller sees it, and the document. */
export type Found = { context: TicketContext; purchase: Purchase };

export type Finding<Params> = { params: Params; caller: { companyId: string }; req: Parameters<typeof tokenOf>[0] };

const common = {
  host: 'ticket',
  tag: 'Purchases',
  access: { permission: 'tickets' },
} as const satisfies Partial<Route>;
const ticketCode = { ticket_id: 'purchase_invalid_ticket_id' };

/** What every operation on the purchases of a ticket shares: 404 for a ticket that the caller does not see. */
export function onTicket({ tickets }: { tickets: TicketClient }) {
  return {
    ...common,
    params: Joi.object<TicketParams>({ ticket_id: id.required() }),
    idCodes: ticketCode,
    load: ({ params, req }: Finding<TicketParams>) => tickets.context(params.ticket_id, tokenOf(req)),
  };
}

type OnPurchase = {
  tickets: TicketClient;
  purchases: PurchaseStore;
  /** What is done before the answer 404 for a document that is not live. */
  missing?: (finding: Finding<PurchaseParams>) => Promise<void>;
};

/** What every operation on one document shares: 404 for one that the caller does not see. */
export function onPurchase({ tickets, purchases, missing }: OnPurchase) {
  return {
    ...common,
    params: Joi.object<PurchaseParams>({ ticket_id: id.required(), purchase_id: id.required() }),
    idCodes: { ...ticketCode, purchase_id: 'purchase_invalid_purchase_id' },
    async load(finding: Finding<PurchaseParams>): Promise<Found> {
      const { params, caller, req } = finding;
      const [context, purchase] = await Promise.all([
        tickets.context(params.ticket_id, tokenOf(req)),
        purchases.find(params.ticket_id, params.purchase_id),
      ]);
      if (!purchase) await missing?.(finding);
      if (!purchase || !isVisibleTo(purchase, caller.companyId)) throw purchaseNotFound();
      return { context, purchase };
    },
  };
}

const text = Joi.string();
const nullableText = text.allow(null);

export const purchaseSchema = Joi.object({
  id: text,
  ticket_id: text,
  kind: Joi.string<PurchaseKind>().valid(...purchaseKinds),
  buyer_company_id: text,
  supplier_company_id: nullableText,
  reference: text,
  source_system: nullableText,
  quote_id: nullableText,
  purchase_order_id: nullableText,
  date: text.isoDate(),
  amount: Joi.number().allow(null),
  document_id: nullableText,
  from_api: Joi.boolean(),
  created_at: text.isoDate(),
  updated_at: text.isoDate(),
  created_by: text,
  updated_by: text,
  editable: Joi.boolean(),
}).label('Purchase');
