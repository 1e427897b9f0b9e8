import { answer, id, type Route, route, sendVersion } from '@app/http';
import { newId } from '@app/kernel';
import Joi from 'joi';
import { type UploadDeps, uploadErrors, withUpload } from '../http/with-upload.ts';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { quoteResponse } from '../reading/ticket-response.ts';
import { quoteSchema, ticketReply } from '../reading/ticket-schemas.ts';
import { quoteText } from '../tickets/history.ts';
import type { Actor, Quote, Ticket } from '../tickets/ticket.ts';
import { changeAs, changeErrors, onTicket, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import { addQuote, declineQuote, validateQuote } from './quotes.ts';

type Deps = PresentedTicketDeps & UploadDeps;
type Fields = { reference: string; price: string; includes_vat: boolean; contractor_id?: string };
type QuoteParams = TicketParams & { quote_id: string };

const fields = Joi.object<Fields>({
  reference: Joi.string()
    .max(100)
    .pattern(/\S/)
    .messages({ 'string.pattern.base': '{{#label}} must not be blank' })
    .required(),
  // Stored as the decimal text that was sent; at most 1,000,000,000.
  price: Joi.string()
    .pattern(/^(0|[1-9]\d{0,8})(\.\d{1,6})?$|^1000000000(\.0{1,6})?$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a decimal such as 1234.56, from 0 to 1000000000' })
    .description('without VAT, unless `includes_vat`')
    .required(),
  includes_vat: Joi.boolean().prefs({ convert: true }).default(false).description('whether `price` is with VAT'),
  contractor_id: id.description('from a client with several contractors on the ticket'),
});

/** Adding and deciding quotes. */
export function quoteRoutes(deps: Deps): Route[] {
  return [
    route<TicketParams, object, object, Ticket>({
      ...onTicket(deps),
      method: 'post',
      path: `${ticketPath}/quotes`,
      tag: 'Quotes',
      summary: 'Add a quote, with its file or without',
      versioned: true,
      errors: [...changeErrors, ...uploadErrors, '422 ticket_too_many'],
      multipart: fields.append({ file: Joi.any().description('PDF, PNG or JPEG of at most 20 MB') }),
      reply: { status: 201, schema: answer({ quote: quoteSchema }) },
      handle: ({ resource: found, caller, precondition, write, req, res }) =>
        withUpload(
          deps,
          { req, res, fields, options: { required: false, write } },
          async ({ fields: { reference, price, includes_vat, contractor_id = null }, file, keep }) => {
            const input = { _id: newId(deps.now()), reference, price, includes_vat, file, contractor_id };
            const add = (ticket: Ticket, actor: Actor, now: Date) => addQuote(ticket, actor, now, input);
            const details = ({ quotes }: Ticket) => detailsOf(quotes.at(-1));
            const log = { operation: 'add_quote', details } as const;
            const change = { ticket: found, caller, precondition, write };
            const after = await changeAs(deps, change, add, { alongside: keep, log });
            sendVersion(res, after.version);
            // The last one, not the one with this id: the ticket may be as an earlier attempt at this request saved it.
            return { quote: quoteResponse(after.quotes.at(-1) as Quote, { link: deps.presenter.link }) };
          },
        ),
    }),
    decisionRoute(deps, 'validate', validateQuote),
    decisionRoute(deps, 'decline', declineQuote),
  ];
}

function decisionRoute(deps: Deps, verb: 'validate' | 'decline', rule: typeof validateQuote): Route {
  return route<QuoteParams, object, object, Ticket>({
    ...onTicket(deps),
    params: Joi.object<QuoteParams>({ ticket_id: id.required(), quote_id: id.required() }),
    method: 'put',
    path: `${ticketPath}/quotes/:quote_id/${verb}`,
    tag: 'Quotes',
    summary: verb === 'validate' ? 'Validate a quote' : 'Decline a quote',
    errors: [...changeErrors, '404 quote_not_found', '409 quote_contractor_gone'],
    body: Joi.object({}),
    versioned: true,
    reply: { status: 200, schema: ticketReply },
    async handle({ resource: found, caller, params, precondition, write, res }) {
      const after = await changeAs(
        deps,
        { ticket: found, caller, precondition, write },
        (ticket, actor, now) => rule(ticket, actor, now, params.quote_id),
        {
          exclusive: { operation: `${verb}_quote`, seen: (ticket) => quoteOf(ticket, params.quote_id)?.status },
          log: { operation: `${verb}_quote`, details: (ticket) => decisionOn(quoteOf(ticket, params.quote_id)) },
        },
      );
      sendVersion(res, after.version);
      return deps.presenter.one(after, caller);
    },
  });
}

/** The history entry of a decision: it names the contractor of the quote, who did not make the decision. */
function decisionOn(quote: Quote | undefined) {
  return quote ? { contractor_id: quote.contractor_id, text: quoteText(quote) } : {};
}

function detailsOf(quote: Quote | undefined) {
  return quote ? { contractor_id: quote.contractor_id, about: quote._id, text: quoteText(quote) } : {};
}

function quoteOf(ticket: Ticket, quoteId: string): Quote | undefined {
  return ticket.quotes.find(({ _id }) => _id === quoteId);
}
