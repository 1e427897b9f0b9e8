import Joi from 'joi';
import { id, isoDate, text } from '../fields.ts';
import { ticketEvent } from './webhook-event.ts';

export type StatusChange = { from: string | null; to: string };
/** `amount` is without VAT, null if it is unknown. */
type AddedInvoice = { id: string; reference: string; amount: number | null; added_at: string };
/** Here `amount` is with VAT if `includes_vat`. */
type AddedQuote = AddedInvoice & { includes_vat: boolean };
/** `date` is the start, `duration` in minutes. */
type AddedDate = { type: 'visit' | 'intervention'; date: string; duration: number };
/** `size` is in bytes. */
export type AddedDocument = { id: string; name: string; mimetype: string; size: number; added_at: string };
type AddedReport = { id: string; name: string; added_at: string };
type MessageAuthor = { id: string; firstName: string; lastName: string; company_id: string };
/** Who reads a message. `shared` is what the ticket API calls `public`. */
export type Visibility = 'shared' | 'internal' | 'managers';
type AddedMessage = { text: string; visibility: Visibility; author: MessageAuthor; created_at: string };

const added = { id: id.required(), added_at: isoDate.required() };

export const ticketStatusChanged = ticketEvent(
  'ticket.status_changed.v1',
  'status',
  Joi.object<StatusChange, true>({ from: Joi.string().allow(null).required(), to: Joi.string().required() }),
);

const priced = { ...added, reference: text.required(), amount: Joi.number().allow(null).required() };

export const ticketQuoteAdded = ticketEvent(
  'ticket.quote_added.v1',
  'quote',
  Joi.object<AddedQuote, true>({ ...priced, includes_vat: Joi.boolean().required() }),
);

/** `id` is that of the invoice; `amount` is without VAT. */
export const ticketInvoiceAdded = ticketEvent(
  'ticket.invoice_added.v1',
  'invoice',
  Joi.object<AddedInvoice, true>(priced),
);

const date = Joi.object<AddedDate, true>({
  type: Joi.string<'visit' | 'intervention'>().valid('visit', 'intervention').required(),
  date: isoDate.required(),
  duration: Joi.number().min(0).required(),
});
export const ticketVisitDateAdded = ticketEvent('ticket.visit_date_added.v1', 'date', date);
export const ticketInterventionDateAdded = ticketEvent('ticket.intervention_date_added.v1', 'date', date);

export const ticketDocumentAdded = ticketEvent(
  'ticket.document_added.v1',
  'document',
  Joi.object<AddedDocument, true>({
    ...added,
    name: text.required(),
    mimetype: Joi.string().required(),
    size: Joi.number().integer().min(0).required(),
  }),
);

export const ticketReportAdded = ticketEvent(
  'ticket.report_added.v1',
  'report',
  Joi.object<AddedReport, true>({ ...added, name: text.required() }),
);

export const ticketMessageAdded = ticketEvent(
  'ticket.message_added.v1',
  'message',
  Joi.object<AddedMessage, true>({
    text: text.required(),
    visibility: Joi.string<Visibility>().valid('shared', 'internal', 'managers').required(),
    author: Joi.object<MessageAuthor, true>({
      id: id.required(),
      firstName: text.required(),
      lastName: text.required(),
      company_id: id.required(),
    }).required(),
    created_at: isoDate.required(),
  }),
);

/** `due_at` is when `clock` has run out, or will. */
type Deadline = { clock: string; due_at: string };
const deadline = Joi.object<Deadline, true>({
  clock: Joi.string().valid('response', 'arrival', 'finish').required(),
  due_at: isoDate.required(),
});
export const ticketDueSoon = ticketEvent('ticket.due_soon.v1', 'deadline', deadline);
export const ticketOverdue = ticketEvent('ticket.overdue.v1', 'deadline', deadline);
