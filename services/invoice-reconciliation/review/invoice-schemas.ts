import Joi from 'joi';
import { states } from '../invoices/invoice.ts';

const text = Joi.string().allow('', null);
const number = Joi.number().allow(null);
const moment = Joi.string().isoDate();

const suggestion = Joi.object({
  ticketId: Joi.string(),
  viewId: Joi.string(),
  number: Joi.string(),
  title: text,
  score: Joi.number().description('30 to 100'),
  reasons: Joi.array().items(Joi.string()).description('why, in words'),
}).label('TicketSuggestion');

const shown = {
  id: Joi.string(),
  client: Joi.string(),
  connection: Joi.string(),
  provider: Joi.string(),
  externalId: Joi.string(),
  supplier: Joi.object({ externalId: text, name: text, siret: text, siren: text, iban: text }),
  supplierId: Joi.string().description('contractor id, once matched'),
  ticket: Joi.string().allow(null).description('ticket id, once reconciled'),
  number: text,
  issueDate: Joi.string().allow(null),
  dueDate: Joi.string(),
  currency: text,
  amounts: Joi.object({ ht: Joi.number(), tva: Joi.number(), ttc: Joi.number() }).allow(null),
  vatBreakdown: Joi.array().items(Joi.object({ rate: Joi.number(), base: Joi.number(), amount: Joi.number() })),
  lines: Joi.array().items(Joi.object({ label: text, qty: number, unitPrice: number, ht: number, vatRate: number })),
  document: Joi.object({ mime: Joi.string(), ref: Joi.string(), hash: Joi.string().description('SHA-256') }),
  providerStatus: text,
  matchHints: Joi.object({ poRef: text, ticketRef: text, orderRef: text }),
  state: Joi.string().valid(...states),
  createdAt: moment,
  updatedAt: moment,
  flags: Joi.array().items(Joi.string()).description('what a person should know'),
  suggestions: Joi.array().items(suggestion).description('at most 5, best first'),
};

export const queuedSchema = Joi.object(shown).label('QueuedInvoice');

const reasons = Joi.array().items(Joi.string()).description('why it is in its state');

export const reviewedSchema = Joi.object({ ...shown, reasons }).label('InvoiceInReview');

export const detailedSchema = Joi.object({
  ...shown,
  view: Joi.string().allow(null).description('the ticket view that it stands on'),
  reasons,
  error: Joi.object({ step: Joi.string(), code: Joi.string(), attempts: Joi.number() }).allow(null),
  feedback: Joi.object({
    outcome: Joi.string().valid('taken_in_charge', 'reversed'),
    result: Joi.string().valid('pending', 'sent', 'failed'),
  })
    .allow(null)
    .description('what the provider was told last'),
  history: Joi.array().items(
    Joi.object({ at: moment, from: Joi.string().allow(null), to: Joi.string(), reason: text }),
  ),
}).label('Invoice');

export const okSchema = Joi.object({ ok: Joi.boolean().valid(true) });
