import { answer, named } from '@app/http';
import Joi from 'joi';
import { states } from '../invoices/invoice.ts';

const text = Joi.string().allow('', null);
const number = Joi.number().allow(null);
const state = Joi.string().valid(...states);
const moment = Joi.string().isoDate();

const suggestion = named('TicketSuggestion', {
  ticketId: Joi.string(),
  viewId: Joi.string(),
  number: Joi.string(),
  title: text,
  score: Joi.number().description('30 to 100'),
  reasons: Joi.array().items(Joi.string()).description('why, in words'),
});

const shown = {
  id: Joi.string(),
  client: Joi.string(),
  connection: Joi.string(),
  provider: Joi.string(),
  externalId: Joi.string(),
  supplier: answer({ externalId: text, name: text, siret: text, siren: text, iban: text }),
  supplierId: Joi.string().optional().description('contractor id, once matched'),
  ticket: Joi.string().allow(null).description('ticket id, once reconciled'),
  number: text,
  issueDate: Joi.string().allow(null),
  dueDate: Joi.string().optional(),
  currency: text,
  amounts: answer({ ht: Joi.number(), tva: Joi.number(), ttc: Joi.number() }).allow(null),
  vatBreakdown: Joi.array().items(answer({ rate: Joi.number(), base: Joi.number(), amount: Joi.number() })),
  lines: Joi.array()
    .items(answer({ label: text, qty: number, unitPrice: number, ht: number, vatRate: number }))
    .optional(),
  document: answer({ mime: Joi.string(), ref: Joi.string(), hash: Joi.string().description('SHA-256') }).optional(),
  providerStatus: text,
  matchHints: answer({ poRef: text, ticketRef: text, orderRef: text }),
  state,
  createdAt: moment,
  updatedAt: moment,
  flags: Joi.array().items(Joi.string()).description('what a person should know'),
  suggestions: Joi.array().items(suggestion).description('at most 5, best first'),
};

export const queuedSchema = named('QueuedInvoice', shown);

const reasons = Joi.array().items(Joi.string()).description('why it is in its state');

export const reviewedSchema = named('InvoiceInReview', { ...shown, reasons });

export const detailedSchema = named('Invoice', {
  ...shown,
  view: Joi.string().allow(null).description('the ticket view that it stands on'),
  reasons,
  error: answer({ step: Joi.string(), code: Joi.string(), attempts: Joi.number() }).allow(null),
  feedback: answer({
    outcome: Joi.string().valid('taken_in_charge', 'reversed'),
    result: Joi.string().valid('pending', 'sent', 'failed'),
  })
    .allow(null)
    .description('what the provider was told last'),
  history: Joi.array().items(answer({ at: moment, from: state.allow(null), to: state, reason: text })),
});

export const okSchema = named('Ok', { ok: Joi.boolean().valid(true) });
