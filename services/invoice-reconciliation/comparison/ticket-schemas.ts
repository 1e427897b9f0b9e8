import { oneOf, ticketStatuses } from '@app/contracts';
import { answer, freeText, named } from '@app/http';
import { amountLevels, knownReferenceKinds, signalCodes } from '@app/matching';
import Joi from 'joi';

const status = oneOf(ticketStatuses);
const maybe = (schema: Joi.Schema) => schema.optional();

const signalValues = named('SignalValues', {
  kind: maybe(oneOf(knownReferenceKinds)),
  held: maybe(Joi.string().allow('')).description('the reference as the ticket has it'),
  written: maybe(Joi.string().allow('')).description('the reference as the invoice has it'),
  name: maybe(freeText),
  level: maybe(oneOf(amountLevels)),
  invoiced: maybe(Joi.number()),
  compared: maybe(Joi.number()),
  withVat: maybe(Joi.boolean()).description('whether `invoiced` and `compared` are with VAT'),
  fitsWithVat: maybe(Joi.boolean()).description(
    'the total would fit if `compared` included VAT; it counts for nothing',
  ),
  remaining: maybe(Joi.boolean()).description('`compared` is what is left of the order'),
  references: maybe(Joi.array().items(Joi.string().allow(''))),
  currency: maybe(Joi.string()),
  count: maybe(Joi.number()),
  days: maybe(Joi.number()),
  date: maybe(Joi.string()),
  status: maybe(status),
  relation: maybe(Joi.string().valid('credits', 'replaces')),
}).description('the facts to word the code with; docs/matching.md lists those of each code');

const signal = named('MatchSignal', {
  code: oneOf(signalCodes),
  points: Joi.number().description('what it adds to the score, or takes from it'),
  values: signalValues,
});

export const signals = Joi.array().items(signal);

const suggestionFields = {
  ticketId: Joi.string(),
  viewId: Joi.string(),
  number: Joi.string(),
  title: freeText,
  score: Joi.number().description('30 to 100'),
  reasons: Joi.array().items(Joi.string()).description('why, in words'),
  signals: signals.description('why, as codes'),
};

/** A suggestion as lists have it. */
export const suggestion = named('TicketSuggestion', suggestionFields);

const quoteStatus = Joi.string().valid('pending', 'validated', 'declined');

const details = {
  contractor: answer({ id: Joi.string(), name: freeText })
    .allow(null)
    .description('whose view it is, or who has the ticket'),
  location: freeText.description('the names of its locations'),
  quotes: Joi.array()
    .items(
      answer({
        reference: Joi.string().allow(''),
        price: Joi.number(),
        includesVat: Joi.boolean(),
        status: quoteStatus,
      }),
    )
    .description('without declined ones'),
  orders: Joi.array()
    .items(answer({ reference: Joi.string(), amount: Joi.number().allow(null), includesVat: Joi.boolean() }))
    .description('`amount` is without VAT, unless `includesVat`'),
  invoiced: Joi.array()
    .items(answer({ invoiceId: Joi.string(), number: Joi.string().allow(''), ht: Joi.number(), ttc: Joi.number() }))
    .description('other invoices on the ticket; a credit note counts negative, a replaced invoice zero'),
};
/** A suggestion of one invoice, with what a person compares. */
export const suggestedTicket = named('SuggestedTicket', {
  ...suggestionFields,
  status: status.allow(null).description('null: the ticket is gone'),
  ...details,
});

const place = { ticketId: Joi.string(), viewId: Joi.string(), number: Joi.string(), title: freeText };

export const linkedTicket = named('LinkedTicket', { ...place, status, ...details });

export const ticketCandidate = named('TicketCandidate', {
  ...place,
  status,
  ...details,
  score: Joi.number().description('0 to 100; 0 also if it was not compared'),
  signals,
});
