import { oneOf, purchaseKinds, statusReasons, toldByPeople } from '@app/contracts';
import { answer, documentedAs, freeText, named, namedEnum, nullableString } from '@app/http';
import Joi from 'joi';
import { hoursReply, targetReply } from '../clock-settings/clock-settings-schemas.ts';
import { pauses } from '../clocks/clocks.ts';
import {
  authorSchema,
  date,
  fieldValueSchema,
  locationSchema,
  nested,
  personSchema,
  reference,
} from '../http/answer-schemas.ts';
import { statusMachine } from '../tickets/lifecycle/status-machine.ts';
import { priorities, statuses, typologies, typologyNames } from '../tickets/ticket.ts';

export const ticketStatus = oneOf(statuses);

export const quoteSchema = named('Quote', {
  _id: Joi.string(),
  reference: Joi.string(),
  price: Joi.string().description('without VAT, unless `includes_vat`'),
  includes_vat: Joi.boolean(),
  status: Joi.string().valid('pending', 'validated', 'declined'),
  validated: Joi.boolean(),
  validated_at: date,
  contractor_id: Joi.string(),
  added_at: date,
  s3_key: nullableString,
  download_url: nullableString.optional().description('on the read of one ticket'),
});

export const reportSchema = named('Report', {
  _id: Joi.string(),
  name: Joi.string(),
  mimetype: Joi.string(),
  size: Joi.number(),
  hash: Joi.string(),
  contractor_id: nullableString,
  added_at: date,
  s3_key: Joi.string(),
});

const purchaseSchema = named('TicketPurchase', {
  _id: Joi.string(),
  ticket_id: Joi.string(),
  kind: oneOf(purchaseKinds),
  buyer_company_id: Joi.string(),
  supplier_company_id: nullableString,
  supplier_contractor_id: nullableString.description('the supplier, as `contractors[]` names it'),
  reference: Joi.string(),
  source_system: nullableString,
  quote_id: nullableString,
  purchase_order_id: nullableString,
  date: Joi.string().isoDate(),
  amount: Joi.number().allow(null).description('without VAT, unless `includes_vat`'),
  includes_vat: Joi.boolean(),
  document_id: nullableString,
  from_api: Joi.boolean(),
  created_at: date,
  updated_at: date,
  created_by: Joi.string(),
  updated_by: Joi.string(),
  editable: Joi.boolean(),
  source: Joi.string().valid('api', 'app'),
  s3_key: nullableString,
});

const invoiceSchema = named('TicketInvoice', {
  _id: Joi.string(),
  reference: Joi.string(),
  price: Joi.string(),
  invoice_id: Joi.string(),
  supplier: answer({ name: nullableString, siren: nullableString, siret: nullableString }),
  amounts: answer({ ht: Joi.number(), tva: Joi.number(), ttc: Joi.number() }),
  supplier_status: answer({
    status: oneOf(toldByPeople),
    reason: oneOf(statusReasons).allow(null),
    note: nullableString,
    at: Joi.string().isoDate(),
  })
    .allow(null)
    .description('what the client told its supplier last; to a contractor only of its own invoices'),
});

const moveSchema = named('TicketMove', {
  operation: oneOf(Object.keys(statusMachine)),
  method: Joi.string().valid('POST', 'PUT'),
  path: Joi.string(),
  to: ticketStatus.description('the status that you then see'),
  needs: Joi.array().items(Joi.string()).description('fields that the body must have'),
  // Another move may fix another field.
  body: answer({
    type: Joi.string().valid('planned', 'actual').optional(),
    category: Joi.string().valid('visit', 'intervention').optional(),
  })
    .optional()
    .description('fields that it must have with these values'),
});

const typologySchema = named('Typology', {
  _id: documentedAs(Joi.string(), namedEnum(typologies)),
  name: oneOf(Object.values(typologyNames)).allow(null),
});

const clockSchema = named('TicketClock', {
  state: Joi.string().valid('running', 'paused', 'met', 'missed'),
  due_at: date.description('null while a pause holds it off, as `warn_at`'),
  warn_at: date.description('when so little is left that a warning comes'),
  reached_at: date.description('when what it waits for happened'),
  pause: oneOf(pauses).allow(null).description('why it stands'),
  left_ms: Joi.number().description('in its own time, as `late_ms`: working time if its target is in hours'),
  late_ms: Joi.number(),
  target: targetReply,
}).allow(null);

/** A ticket in a reply, for the API documentation. */
export const ticketReply = named('Ticket', {
  _id: Joi.string(),
  id: Joi.string(),
  number: Joi.string(),
  url: Joi.string().description('its page in the console, if there is one; else as `self`'),
  self: Joi.string().description('its address in this API'),
  status: ticketStatus,
  title: Joi.string(),
  description: freeText,
  priority_label: oneOf(priorities),
  price_threshold: Joi.number().allow(null),
  from_public_interface: Joi.boolean(),
  reserve: Joi.boolean().allow(null),
  typology: typologySchema,
  created_at: date,
  updated_at: date,
  assigned_at: date,
  closed_at: date,
  intervention_scheduled_at: Joi.array().items(date),
  intervention_occured_at: Joi.array().items(date),
  visit_scheduled_at: Joi.array().items(date).description('as those of interventions'),
  visit_occured_at: Joi.array().items(date),
  response_due_at: date.description(
    'due dates: null without a policy, to a contractor that does not have the ticket, and in a pause',
  ),
  arrival_due_at: date,
  finish_due_at: date,
  clocks: answer({
    response: clockSchema,
    arrival: clockSchema,
    finish: clockSchema,
    hours: hoursReply.optional().description('on the read of one ticket that is not finished: those of its place'),
  }).allow(null),
  created_by: authorSchema.allow(null).description('null to a contractor where another contractor created the ticket'),
  validated_by: authorSchema.allow(null),
  maintenance: nullableString.optional().description('on maintenance tickets'),
  start_date: date.optional(),
  end_date: date.optional(),
  client: reference,
  contractors: Joi.array().items(answer({ _id: Joi.string(), name: nullableString, type: nullableString })),
  locations: Joi.array().items(locationSchema),
  equipments: Joi.array().items(nested),
  jobs: Joi.array().items(reference),
  domains: Joi.array().items(nested),
  domain: Joi.array().items(nested).description('the same as `domains`'),
  managers: Joi.array().items(personSchema),
  contacts: Joi.array().items(personSchema),
  fields: Joi.array().items(fieldValueSchema),
  quotes: Joi.array().items(quoteSchema),
  invoices: Joi.array().items(invoiceSchema),
  purchases: Joi.array().items(purchaseSchema),
  reports: Joi.array().items(reportSchema),
  views: Joi.array().items(
    named('TicketView', {
      _id: Joi.string(),
      company_id: nullableString,
      role: Joi.string().valid('client', 'contractor'),
      status: ticketStatus,
      state: Joi.string().valid('client', 'pending', 'active', 'declined', 'canceled'),
      contractor_id: nullableString.description('its entry of the directory'),
      name: nullableString.description('of that entry'),
      expires_at: date.description('when a pending proposal expires'),
      reason: freeText.description('why it was declined; `expired` if nobody answered'),
    }),
  ),
  moves: Joi.array().items(moveSchema).optional().description('on the read of one ticket: what you may do now'),
});

export const pageReply = named('TicketPage', { cursor: nullableString, tickets: Joi.array().items(ticketReply) });

const count = Joi.number().integer().min(1).optional();
export const countsReply = named('TicketCounts', {
  status: answer(Object.fromEntries(statuses.map((status) => [status, count]))).description('statuses that have any'),
  overdue: Joi.number()
    .integer()
    .allow(null)
    .description(
      'with a due date that has passed, as in the list with `overdue`; null: too many to look through in time',
    ),
  limit: Joi.number().integer().description('what counts so many is so many or more'),
});
