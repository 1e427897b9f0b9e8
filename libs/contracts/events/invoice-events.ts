import Joi from 'joi';
import { type InvoiceKind, invoiceKinds } from '../canonical-invoice.ts';
import { defineEvent } from '../define-event.ts';
import { id, isoDate, oneOf, text } from '../fields.ts';
import {
  actionCodes,
  type InvoiceStatus,
  invoiceStatuses,
  type RequestedAction,
  type StatusDetails,
  statusReasons,
  toldByPeople,
} from '../invoice-statuses/statuses.ts';

/** A file in storage; `hash` is its SHA-256 in hexadecimal, `size` in bytes. */
export type StoredPayload = { key: string; hash: string; size: number; type: string };

const provider = Joi.string()
  .pattern(/^[a-z0-9-]{1,64}$/)
  .required();
const external = Joi.string().max(200).required();
/** Orders the events of one invoice: incremented with each fetch, whatever process makes it and whatever its clock says. */
const sequence = Joi.number().integer().min(1).required();
const stored = Joi.object<StoredPayload, true>({
  key: Joi.string().required(),
  hash: Joi.string().hex().length(64).required(),
  size: Joi.number().integer().min(0).required(),
  type: Joi.string().required(),
});

/** Connection fetched an invoice from its provider: the raw payload and the document, if there is one, are in storage. */
export type InvoiceFetched = {
  client_id: string;
  connection_id: string;
  provider: string;
  external_id: string;
  raw: StoredPayload;
  document: StoredPayload | null;
  /** True if an operator asked for it (`POST /invoices/resync`). */
  resync: boolean;
  fetched_at: string;
  sequence: number;
};

export const invoiceFetched = defineEvent<InvoiceFetched>(
  'invoice.fetched.v1',
  Joi.object<InvoiceFetched, true>({
    client_id: id.required(),
    connection_id: id.required(),
    provider,
    external_id: external,
    raw: stored.required(),
    document: stored.allow(null).required(),
    resync: Joi.boolean().required(),
    fetched_at: isoDate.required(),
    sequence,
  }),
);

/** The provider has removed this invoice: it answers 404, or lists a deletion. */
export type InvoiceGone = {
  client_id: string;
  provider: string;
  external_id: string;
  at: string;
  sequence: number;
};

export const invoiceGone = defineEvent<InvoiceGone>(
  'invoice.gone.v1',
  Joi.object<InvoiceGone, true>({
    client_id: id.required(),
    provider,
    external_id: external,
    at: isoDate.required(),
    sequence,
  }),
);

/** What a supplier, or a platform between, says of an invoice; `status` is a code of the French reform (XP Z12-012), such as 212. */
export type ReportedStatus = {
  number: string;
  issue_date: string;
  supplier_siren: string | null;
  status: string;
  reasons: { code: string | null; text: string | null }[];
  at: string;
};

/** Connection received a life-cycle message: one event for each invoice that it is about. `id` identifies it among those of the client. */
export type InvoiceStatusReceived = ReportedStatus & { client_id: string; provider: string; id: string };

export const invoiceStatusReceived = defineEvent<InvoiceStatusReceived>(
  'invoice.status_received.v1',
  Joi.object<InvoiceStatusReceived, true>({
    client_id: id.required(),
    provider,
    id: Joi.string().max(300).required(),
    number: Joi.string().required(),
    issue_date: isoDate.required(),
    supplier_siren: Joi.string().allow(null).required(),
    status: Joi.string()
      .pattern(/^\d{3}$/)
      .required(),
    reasons: Joi.array()
      .items(Joi.object({ code: text.allow(null).required(), text: text.allow(null).required() }))
      .max(20)
      .required(),
    at: isoDate.required(),
  }),
);

/** A status, or that the last link or refusal holds no more. */
export const invoiceOutcomes = [...invoiceStatuses, 'reversed'] as const;
export type InvoiceOutcome = (typeof invoiceOutcomes)[number];

/** A link between invoice and ticket that was reported to a provider. */
export type ReportedLink = { ticket: { id: string; number: string }; po_ref: string | null };

/** Reconciliation asks connection to send feedback to the provider, once for each `link_version`. */
export type FeedbackRequested = {
  invoice_id: string;
  client_id: string;
  connection_id: string;
  provider: string;
  external_id: string;
  link_version: number;
  outcome: InvoiceOutcome;
  /** Null unless the outcome is about a link. */
  ticket: ReportedLink['ticket'] | null;
  po_ref: string | null;
  /** What the status says besides itself. */
  details: StatusDetails;
  asked_at: string;
  /** Identifies the message among all about the invoice: the same key is the same message, however often it is requested. */
  key: string;
  /** Earlier links of this invoice that the provider may still have, the newest last; this outcome replaces them. */
  earlier_links: ReportedLink[];
  /**
   * True for a repeated request: if the feedback has an outcome, connection publishes it again, since a restored reconciliation
   * may not have it.
   */
  again?: boolean;
};

const ticketRef = Joi.object({ id: id.required(), number: Joi.string().required() }).required();
const statusReason = oneOf(statusReasons);
const orderRef = text.allow(null).required();
const outcome = oneOf(invoiceOutcomes).required();

export const invoiceFeedbackRequested = defineEvent<FeedbackRequested>(
  'invoice.feedback_requested.v1',
  Joi.object<FeedbackRequested, true>({
    invoice_id: id.required(),
    client_id: id.required(),
    connection_id: id.required(),
    provider,
    external_id: external,
    link_version: Joi.number().integer().min(1).required(),
    outcome,
    ticket: ticketRef.allow(null),
    po_ref: orderRef,
    details: Joi.object<StatusDetails, true>({
      reason: statusReason.allow(null).required(),
      note: text.allow(null).required(),
      amount: Joi.number().allow(null).required(),
      date: Joi.string().allow(null).required(),
      action: oneOf(Object.keys(actionCodes) as RequestedAction[])
        .allow(null)
        .required(),
    }).required(),
    asked_at: isoDate.required(),
    key: Joi.string().max(100).required(),
    earlier_links: Joi.array()
      .items(Joi.object({ ticket: ticketRef, po_ref: orderRef }))
      .max(100)
      .required(),
    again: Joi.boolean().optional(),
  }),
);

/** The result of a feedback: `sent`, or `failed` for good, with a reason for people. */
export type FeedbackSettled = {
  invoice_id: string;
  client_id: string;
  link_version: number;
  outcome: InvoiceOutcome;
  result: 'sent' | 'failed';
  /** The provider saw it and did not accept it, or never will; false also if nobody knows whether it arrived. */
  refused: boolean;
  /** True if it failed because no message about the invoice can reach its supplier. */
  unsendable?: boolean;
  reason: string | null;
  at: string;
};

export const invoiceFeedbackSettled = defineEvent<FeedbackSettled>(
  'invoice.feedback_settled.v1',
  Joi.object<FeedbackSettled, true>({
    invoice_id: id.required(),
    client_id: id.required(),
    link_version: Joi.number().integer().min(1).required(),
    outcome,
    result: Joi.string<'sent' | 'failed'>().valid('sent', 'failed').required(),
    refused: Joi.boolean().required(),
    unsendable: Joi.boolean().optional(),
    reason: text.allow(null).required(),
    at: isoDate.required(),
  }),
);

/** An invoice changed its state. `from` is null for the first state. */
export type InvoiceStateChanged = {
  invoice_id: string;
  client_id: string;
  version: number;
  from: string | null;
  to: string;
  reason: string | null;
  at: string;
};

export const invoiceStateChanged = defineEvent<InvoiceStateChanged>(
  'invoice.state_changed.v1',
  Joi.object<InvoiceStateChanged, true>({
    invoice_id: id.required(),
    client_id: id.required(),
    version: Joi.number().integer().min(1).required(),
    from: Joi.string().allow(null).required(),
    to: Joi.string().required(),
    reason: text.allow(null).required(),
    at: isoDate.required(),
  }),
);

/** Where an invoice stands, as its supplier was told. */
export type SupplierStatus = { status: InvoiceStatus; at: string } & Pick<StatusDetails, 'reason' | 'note'>;

/**
 * The line of an invoice on a ticket view, at one version; an invoice has one at most. `line` null: the line was removed from
 * whatever ticket it was put on before.
 */
export type InvoiceLineSnapshot = {
  invoice_id: string;
  client_id: string;
  version: number;
  line: {
    ticket_id: string;
    view_id: string;
    reference: string;
    /** `amounts.ht` as text. */
    price: string;
    supplier: { name: string | null; siren: string | null; siret: string | null };
    amounts: { ht: number; tva: number; ttc: number };
    added_at: string;
    /** What figures need besides: whether it is deducted, in which currency, of which day, and which lines it replaces. */
    counted?: CountedLine;
    /** What a person or an ERP told the supplier last, once the provider has accepted it; null until then. */
    supplier_status: SupplierStatus | null;
  } | null;
  /** When the line was put where it is, or taken from its ticket, and by which user; null: by matching. */
  moved_at: string;
  moved_by: string | null;
};

/**
 * `issue_date`: `YYYY-MM-DD`. `key` is that of its number: a corrective line replaces those of the same supplier whose key is in
 * `replaces`.
 */
export type CountedLine = {
  kind: InvoiceKind;
  currency: string;
  issue_date: string;
  key: string;
  replaces: string[];
};

export const invoiceLineSchema = Joi.object<InvoiceLineSnapshot, true>({
  invoice_id: id.required(),
  client_id: id.required(),
  version: Joi.number().integer().min(1).required(),
  line: Joi.object({
    ticket_id: id.required(),
    view_id: id.required(),
    reference: Joi.string().required(),
    price: Joi.string().required(),
    supplier: Joi.object({
      name: text.allow(null).required(),
      siren: Joi.string().allow(null).required(),
      siret: Joi.string().allow(null).required(),
    }).required(),
    amounts: Joi.object({
      ht: Joi.number().required(),
      tva: Joi.number().required(),
      ttc: Joi.number().required(),
    }).required(),
    added_at: isoDate.required(),
    counted: Joi.object<CountedLine, true>({
      kind: Joi.string<InvoiceKind>()
        .valid(...invoiceKinds)
        .required(),
      currency: Joi.string().required(),
      issue_date: Joi.string().required(),
      key: text.required(),
      replaces: Joi.array().items(Joi.string()).max(500).required(),
    }).optional(),
    supplier_status: Joi.object<SupplierStatus, true>({
      status: oneOf(toldByPeople).required(),
      reason: statusReason.allow(null).required(),
      note: text.allow(null).required(),
      at: isoDate.required(),
    })
      .allow(null)
      .required(),
  })
    .allow(null)
    .required(),
  moved_at: isoDate.required(),
  moved_by: id.allow(null).required(),
});

export const invoiceLineChanged = defineEvent<InvoiceLineSnapshot>('invoice.line_changed.v1', invoiceLineSchema);
