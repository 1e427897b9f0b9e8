import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, isoDate, oneOf, text } from '../fields.ts';
import { ticketEvent } from './webhook-event.ts';

export const purchaseKinds = ['purchase_request', 'purchase_order', 'goods_receipt'] as const;
export type PurchaseKind = (typeof purchaseKinds)[number];

/** Of all kinds, orders alone are shown to their supplier; the others stay with the buyer. */
export function isSharedWithSupplier(kind: PurchaseKind): boolean {
  return kind === 'purchase_order';
}

/**
 * A new purchase document in webhooks; its snapshot extends it, so a field here is in both. `amount` is null if it is unknown,
 * and without VAT unless `includes_vat`. `supplier_contractor_id`: the supplier in the client's directory, with an account or
 * without.
 */
export type AddedPurchase = {
  id: string;
  kind: PurchaseKind;
  reference: string;
  source_system: string | null;
  quote_id: string | null;
  purchase_order_id: string | null;
  date: string;
  amount: number | null;
  includes_vat: boolean;
  buyer_company_id: string;
  supplier_company_id: string | null;
  supplier_contractor_id: string | null;
  created_at: string;
};

/** A whole purchase document at one version, counted from 1. `deleted`: it was removed. */
export type PurchaseSnapshot = AddedPurchase & {
  ticket_id: string;
  version: number;
  document_id: string | null;
  s3_key: string | null;
  from_api: boolean;
  created_by: string;
  updated_at: string;
  updated_by: string;
  deleted: boolean;
};

const addedFields = {
  id: id.required(),
  kind: oneOf(purchaseKinds).required(),
  reference: Joi.string().required(),
  source_system: Joi.string().allow(null).required(),
  quote_id: id.allow(null).required(),
  purchase_order_id: id.allow(null).required(),
  date: isoDate.required(),
  amount: Joi.number().allow(null).required(),
  includes_vat: Joi.boolean().required(),
  buyer_company_id: id.required(),
  supplier_company_id: id.allow(null).required(),
  supplier_contractor_id: id.allow(null).required(),
  created_at: isoDate.required(),
};

export const purchaseSchema = Joi.object<PurchaseSnapshot, true>({
  ...addedFields,
  ticket_id: id.required(),
  version: Joi.number().integer().min(1).required(),
  document_id: id.allow(null).required(),
  s3_key: Joi.string().allow(null).required(),
  from_api: Joi.boolean().required(),
  created_by: id.required(),
  updated_at: isoDate.required(),
  updated_by: id.required(),
  deleted: Joi.boolean().required(),
});

export const ticketPurchaseAdded = ticketEvent(
  'ticket.purchase_added.v1',
  'purchase',
  Joi.object<AddedPurchase, true>(addedFields),
);

/** The current state of a purchase document, after each change, for projections. */
export const purchaseChanged = defineEvent<{ purchase: PurchaseSnapshot }>(
  'purchase.changed.v1',
  Joi.object<{ purchase: PurchaseSnapshot }, true>({ purchase: purchaseSchema.required() }),
);

/** A file was attached: it appears in the ticket's Documents tab, under the id in the purchase document. */
export type AttachedFile = {
  id: string;
  ticket_id: string;
  purchase_id: string;
  kind: PurchaseKind;
  buyer_company_id: string;
  supplier_company_id: string | null;
  added_at: string;
  file: { key: string; name: string; type: string; size: number; hash: string };
};

export const attachedFileSchema = Joi.object<AttachedFile, true>({
  id: id.required(),
  ticket_id: id.required(),
  purchase_id: id.required(),
  kind: addedFields.kind,
  buyer_company_id: id.required(),
  supplier_company_id: id.allow(null).required(),
  added_at: isoDate.required(),
  file: Joi.object<AttachedFile['file'], true>({
    key: Joi.string().required(),
    name: text.required(),
    type: Joi.string().required(),
    size: Joi.number().integer().min(0).required(),
    hash: Joi.string().hex().required(),
  }).required(),
});

export const purchaseFileAttached = defineEvent<{ document: AttachedFile }>(
  'purchase.file_attached.v1',
  Joi.object<{ document: AttachedFile }, true>({ document: attachedFileSchema.required() }),
);
