import {
  actionCodes,
  invoiceKinds,
  invoiceOutcomes,
  invoiceStatuses,
  oneOf,
  statusObstacles,
  statusReasons,
  toldByPeople,
} from '@app/contracts';
import { answer, freeText, named } from '@app/http';
import Joi from 'joi';
import { relations } from '../comparison/related.ts';
import { linkedTicket, signals, suggestedTicket, suggestion } from '../comparison/ticket-schemas.ts';
import { conclusionOutcomes, invoiceFlags, states, steps } from '../invoices/invoice.ts';
import { reasonCodes as codes } from '../invoices/reason-code.ts';

const number = Joi.number().allow(null);
const state = oneOf(states);
const isoDate = Joi.string().isoDate();
const step = oneOf(steps);

const reasonCode = named('InvoiceReason', {
  code: oneOf(codes),
  values: named('InvoiceReasonValues', {
    count: Joi.number().optional(),
    score: Joi.number().optional(),
    ticket: Joi.string().optional().description('its number'),
    step: step.optional(),
    failure: Joi.string().optional().description('the code of the error'),
    attempt: Joi.number().optional(),
    outcome: oneOf(conclusionOutcomes).optional(),
    text: Joi.string()
      .allow('')
      .optional()
      .description('a sentence of the provider, of the reader of documents, or of a person'),
  }),
});
const reasonCodes = Joi.array()
  .items(reasonCode)
  .description('the same as codes with values, to be worded in any language; docs/matching.md lists them');

const shown = {
  id: Joi.string(),
  client: Joi.string(),
  connection: Joi.string(),
  provider: Joi.string(),
  externalId: Joi.string(),
  supplier: answer({
    externalId: freeText,
    name: freeText,
    siret: freeText,
    siren: freeText,
    iban: freeText.description('the first of its `accounts`'),
    accounts: Joi.array()
      .items(Joi.string())
      .description('all that it asks to pay to, sorted: IBANs, and as written what cannot be read as one'),
  }),
  supplierId: Joi.string().optional().description('contractor id, once matched'),
  ticket: Joi.string().allow(null).description('ticket id, once reconciled'),
  kind: oneOf(invoiceKinds).allow(null).description('null: it could not be read'),
  number: freeText,
  issueDate: Joi.string().allow(null),
  dueDate: Joi.string().optional(),
  currency: freeText,
  amounts: answer({ ht: Joi.number(), tva: Joi.number(), ttc: Joi.number() })
    .allow(null)
    .description('as the document has them: those of credit notes have either sign'),
  vatBreakdown: Joi.array().items(answer({ rate: Joi.number(), base: Joi.number(), amount: Joi.number() })),
  lines: Joi.array()
    .items(answer({ label: freeText, qty: number, unitPrice: number, ht: number, vatRate: number }))
    .optional(),
  document: answer({ mime: Joi.string(), ref: Joi.string(), hash: Joi.string().description('SHA-256') }).optional(),
  providerStatus: freeText,
  matchHints: answer({ poRef: freeText, ticketRef: freeText, orderRef: freeText }),
  warnings: Joi.array()
    .items(Joi.string())
    .description('what the document gives and could not be read, such as a due date'),
  state,
  createdAt: isoDate,
  updatedAt: isoDate,
  flags: Joi.array().items(oneOf(invoiceFlags)).description('what a person should know'),
  suggestions: Joi.array().items(suggestion).description('at most 5, best first'),
};

export const queuedSchema = named('QueuedInvoice', shown);

const reasons = Joi.array().items(Joi.string()).description('why it is in its state');

export const reviewedSchema = named('InvoiceInReview', { ...shown, reasons, reasonCodes });

const conclusion = named('InvoiceConclusion', {
  outcome: oneOf(conclusionOutcomes),
  reason: Joi.string(),
  code: oneOf(statusReasons).allow(null).description('of a refusal'),
  invoiceId: Joi.string().allow(null).description('of a duplicate: the invoice that it duplicates'),
})
  .allow(null)
  .description('why it is `done` without a ticket, if a person decided so');

export const foundSchema = named('FoundInvoice', { ...shown, reasons, reasonCodes, conclusion });

const fields = ['reason', 'note', 'amount', 'date', 'action'] as const;
const status = oneOf(invoiceStatuses);
const statusReason = oneOf(statusReasons);
const by = answer({ id: Joi.string() }).allow(null);

const supplierStatus = named('SupplierStatus', {
  current: status.allow(null).description('the last one that holds, or is being told'),
  told: Joi.array()
    .items(
      named('ToldStatus', {
        status,
        result: Joi.string()
          .valid('pending', 'accepted', 'failed')
          .description('`pending` until the provider has said whether it accepts the message'),
        reason: statusReason.allow(null),
        note: freeText,
        amount: number,
        date: Joi.string().allow(null),
        action: oneOf(Object.keys(actionCodes)).allow(null),
        failure: freeText.description('why it failed, in words, as the provider says it'),
        at: isoDate,
        settledAt: isoDate.allow(null),
        by: by.description('the person or ERP who told it; null: it followed from a link'),
      }),
    )
    .description('oldest first, at most 100'),
  sendable: Joi.array()
    .items(
      named('SendableStatus', {
        status: oneOf(toldByPeople),
        reasons: Joi.array().items(statusReason),
        needs: Joi.array().items(oneOf(fields)),
        takes: Joi.array().items(oneOf(fields)),
      }),
    )
    .description('what `POST /invoices/:id/status` takes now'),
  obstacle: oneOf(statusObstacles).allow(null).description('why nothing may be told'),
  receivesAt: freeText.description(
    'the electronic address that a status goes to, as `scheme:value`: of the invoice or, if it has none, of the directory',
  ),
  directoryFailure: freeText.description(
    'why the directory could not be asked; a status may be told all the same, and is sent once it answers',
  ),
  suggested: Joi.string()
    .valid('approved')
    .allow(null)
    .description(
      'its finished ticket has an order and goods receipts of this amount, or a receipt without one; a person decides',
    ),
}).description('what the supplier was told of where the invoice stands, by way of the provider');

const ticketNumber = answer({ id: Joi.string(), number: Joi.string() }).allow(null);
const changeOf = Joi.alternatives().try(Joi.string().allow(''), Joi.number()).allow(null);
const change = answer({
  field: Joi.string().description('`amounts.ttc`, `supplier.accounts` and so on'),
  before: changeOf,
  after: changeOf,
});

export const detailedSchema = named('Invoice', {
  ...shown,
  view: Joi.string().allow(null).description('the ticket view that it stands on'),
  suggestions: Joi.array().items(suggestedTicket).description('at most 5, best first'),
  linkedTicket: linkedTicket.allow(null).description('the ticket that it is on'),
  reasons,
  reasonCodes,
  conclusion,
  related: Joi.array()
    .items(
      answer({
        id: Joi.string(),
        number: freeText,
        state,
        relation: oneOf(relations),
        ticket: ticketNumber,
      }),
    )
    .description('at most 20 other invoices: what this one is suspected to duplicate, replaces or credits'),
  knownAccounts: Joi.array().items(Joi.string()).description("the supplier's, as links confirmed them"),
  sharedAccounts: Joi.array()
    .items(answer({ account: Joi.string(), siren: Joi.string(), name: freeText }))
    .description('its accounts that are also on invoices of suppliers with another SIREN, with these'),
  changes: Joi.array().items(change).description('while it waits for review as `changed_after_link`'),
  rematchAt: isoDate.allow(null).description('when it is matched again; null: when something changes'),
  error: answer({ step, code: Joi.string(), attempts: Joi.number() }).allow(null),
  feedback: answer({
    outcome: oneOf(invoiceOutcomes),
    result: Joi.string().valid('pending', 'sent', 'failed'),
  })
    .allow(null)
    .description('what the provider was told last of a link or a refusal'),
  receivedStatuses: Joi.array()
    .items(
      answer({
        status: Joi.string().description(
          'a code of the French reform (XP Z12-012): 212 is paid, 220 canceled by the supplier',
        ),
        reasons: Joi.array().items(answer({ code: freeText, text: freeText })),
        at: isoDate,
      }),
    )
    .description('what the supplier and the platforms between said of it, the earliest first'),
  supplierStatus,
  history: Joi.array().items(
    answer({
      at: isoDate,
      from: state.allow(null),
      to: state,
      reason: freeText,
      reasonCodes,
      signals: signals.description('why matching chose the ticket'),
      by: answer({ id: Joi.string() }).allow(null).description('the person who did it'),
    }),
  ),
});

export const okSchema = named('Ok', { ok: Joi.boolean().valid(true) });
