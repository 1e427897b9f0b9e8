import { oneOf, purchaseKinds } from '@app/contracts';
import { bearerToken, type ErrorLine, id, named, nullableString, type Route } from '@app/http';
import Joi from 'joi';
import type { TicketClient } from '../tickets/ticket-client.ts';
import type { TicketContext } from '../tickets/ticket-context.ts';
import { isVisibleTo, type Purchase, purchaseNotFound } from './purchase.ts';
import type { PurchaseStore } from './purchase-store.ts';

export const purchasesPath = '/api/v3.0/tickets/:ticket_id/purchases';

export type TicketParams = { ticket_id: string };
export type PurchaseParams = TicketParams & { purchase_id: string };
/** What a path refers to: the ticket as the caller sees it, and the document. */
export type Found = { context: TicketContext; purchase: Purchase };

export type LoadContext<Params> = {
  params: Params;
  caller: { companyId: string };
  req: Parameters<typeof bearerToken>[0];
};

const common = {
  host: 'ticket',
  scope: 'purchases:write',
  tag: 'Purchases',
  access: { permission: 'tickets' },
} as const satisfies Partial<Route>;
const ticketCode = { ticket_id: 'purchase_invalid_ticket_id' };

const ticketErrors = [
  '404 purchase_ticket_not_found',
  '409 purchase_ticket_state_forbidden',
  '502 purchase_unavailable',
  '504 purchase_timeout',
] as const;
/** The errors of every route of one document. */
export const purchaseErrors: readonly ErrorLine[] = [
  ...ticketErrors,
  '403 purchase_no_access',
  '404 purchase_not_found',
];
/** The errors of routes that write its fields. */
const fieldErrors = [
  '409 purchase_goods_receipt_already_exists',
  '422 purchase_order_link_only_on_goods_receipt',
  '422 purchase_order_not_found',
  '422 purchase_quote_not_found',
] as const;
export const creationErrors: readonly ErrorLine[] = [...ticketErrors, ...fieldErrors, '422 purchase_too_many'];
export const changeErrors: readonly ErrorLine[] = [
  ...purchaseErrors,
  ...fieldErrors,
  '409 purchase_duplicate_reference',
];

/** The routes of a ticket's purchases: they load the ticket, or answer 404 if the caller does not see it. */
export function onTicket({ tickets }: { tickets: TicketClient }) {
  return {
    ...common,
    params: Joi.object<TicketParams>({ ticket_id: id.required() }),
    idCodes: ticketCode,
    load: ({ params, req }: LoadContext<TicketParams>) => tickets.context(params.ticket_id, bearerToken(req)),
  };
}

type OnPurchase = {
  tickets: TicketClient;
  purchases: PurchaseStore;
  /** Called before the reply 404 for a document that is not live. */
  missing?: (request: LoadContext<PurchaseParams>) => Promise<void>;
};

/** The routes of one document: they load it, or answer 404 if the caller does not see it. */
export function onPurchase({ tickets, purchases, missing }: OnPurchase) {
  return {
    ...common,
    params: Joi.object<PurchaseParams>({ ticket_id: id.required(), purchase_id: id.required() }),
    idCodes: { ...ticketCode, purchase_id: 'purchase_invalid_purchase_id' },
    errors: purchaseErrors,
    async load(request: LoadContext<PurchaseParams>): Promise<Found> {
      const { params, caller, req } = request;
      const [context, purchase] = await Promise.all([
        tickets.context(params.ticket_id, bearerToken(req)),
        purchases.find(params.ticket_id, params.purchase_id),
      ]);
      if (!purchase) await missing?.(request);
      if (!purchase || !isVisibleTo(purchase, caller.companyId)) throw purchaseNotFound();
      return { context, purchase };
    },
  };
}

export const purchaseSchema = named('Purchase', {
  id: Joi.string(),
  ticket_id: Joi.string(),
  kind: oneOf(purchaseKinds),
  buyer_company_id: Joi.string(),
  supplier_company_id: nullableString.description(
    'the account of the supplier; null: it has none, or there is no supplier',
  ),
  supplier_contractor_id: nullableString.description('the supplier, as `contractors[]` of the ticket names it'),
  reference: Joi.string(),
  source_system: nullableString,
  quote_id: nullableString,
  purchase_order_id: nullableString,
  date: Joi.string().isoDate(),
  amount: Joi.number().allow(null).description('without VAT, unless `includes_vat`'),
  includes_vat: Joi.boolean(),
  document_id: nullableString,
  from_api: Joi.boolean().description('made with an API token; false: by a person with a session'),
  created_at: Joi.string().isoDate(),
  updated_at: Joi.string().isoDate(),
  created_by: Joi.string(),
  updated_by: Joi.string(),
  editable: Joi.boolean(),
});
