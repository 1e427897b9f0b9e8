import Joi from 'joi';
import { defineEvent } from './define-event.ts';
import { id, isoDate, text } from './fields.ts';

/**
 * Events that subscribers of webhooks hear: `audience` (companies that may hear it, decided here by the owner) and
 * `payload`, exactly the `data` of the webhook body (spec section 6.2: the ticket and one event-specific key).
 */
export type Webhook<Key extends string, T> = {
  audience: string[];
  payload: { ticket: { id: string; number: string; title: string } } & Record<Key, T>;
};

export type StatusChange = { from: string | null; to: string };
export type AddedQuote = { id: string; reference: string; amount: number | null; added_at: string };
export type AddedDate = { type: 'visit' | 'intervention'; date: string; duration: number };
export type AddedDocument = { id: string; name: string; mimetype: string; size: number; added_at: string };
export type AddedReport = { id: string; name: string; added_at: string };
export type MessageAuthor = { id: string; firstName: string; lastName: string; company_id: string };
export type Visibility = 'shared' | 'internal' | 'managers';
export type AddedMessage = { text: string; visibility: Visibility; author: MessageAuthor; created_at: string };

const ticket = Joi.object({ id: id.required(), number: Joi.string().required(), title: text.required() });

function ticketEvent<Key extends string, T>(
  name: `ticket.${string}.v${number}`,
  key: Key,
  schema: Joi.ObjectSchema<T>,
) {
  return defineEvent<Webhook<Key, T>>(
    name,
    Joi.object({
      audience: Joi.array().items(id).min(1).required(),
      payload: Joi.object({ ticket: ticket.required(), [key]: schema.required() }).required(),
    }) as unknown as Joi.ObjectSchema<Webhook<Key, T>>,
  );
}

const added = { id: id.required(), added_at: isoDate.required() };

export const ticketStatusChanged = ticketEvent(
  'ticket.status_changed.v1',
  'status',
  Joi.object<StatusChange, true>({ from: Joi.string().allow(null).required(), to: Joi.string().required() }),
);

export const ticketQuoteAdded = ticketEvent(
  'ticket.quote_added.v1',
  'quote',
  Joi.object<AddedQuote, true>({ ...added, reference: text.required(), amount: Joi.number().allow(null).required() }),
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

/** The types that the dispatcher serves. Their public names are those of spec section 6.1. */
export const webhookEventTypes = [
  ticketStatusChanged,
  ticketQuoteAdded,
  ticketVisitDateAdded,
  ticketInterventionDateAdded,
  ticketDocumentAdded,
  ticketReportAdded,
  ticketMessageAdded,
] as const;
