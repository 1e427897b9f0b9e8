import { actionCodes, oneOf, refusalReasons, type StatusDetails, statusReasons, toldByPeople } from '@app/contracts';
import {
  auditSource,
  bearerToken,
  type Context,
  type ErrorLine,
  id,
  type Route,
  respond,
  route,
  sendVersion,
} from '@app/http';
import Joi from 'joi';
import type { Concluded, Invoice } from '../invoices/invoice.ts';
import type { ConnectionClient } from './connection-client.ts';
import {
  accountingRoute,
  type InvoiceParams,
  type InvoiceRouteDeps,
  invoiceErrors,
  invoiceRoute,
} from './invoice-route-base.ts';
import { okSchema } from './invoice-schemas.ts';
import type { Operator, OperatorActions } from './operator-actions.ts';

type Deps = InvoiceRouteDeps & { actions: OperatorActions; connections: ConnectionClient };

type LinkBody = { ticketId: string; viewId: string; reason?: string };
type UnlinkBody = { keepCandidate: boolean };
type ResyncBody = { provider: string; externalId: string };
type NoTicketBody = { reason: string };
type DuplicateBody = { reason: string; invoiceId: string };
type RefusalBody = { reason: string; code: (typeof refusalReasons)[number] };
type StatusBody = StatusDetails & { status: (typeof toldByPeople)[number] };

const ok = { ok: true };
const changeErrors = [...invoiceErrors, '409 invoice_state_forbidden', '503 invoice_busy'] as const;

const reason = Joi.string().trim().max(500).required().description('why, in a sentence; it is kept in the history');
const waits = 'For invoices that wait for a person and have no ticket. It rests in `done`, until it is reopened.';

/** Routes that change invoices. */
export function operatorRoutes(deps: Deps): Route[] {
  return [
    ...[linkRoute(deps), unlinkRoute(deps), clearRoute(deps), resyncRoute(deps), statusRoute(deps)],
    ...conclusionRoutes(deps),
  ];
}

function linkRoute(deps: Deps): Route {
  return route<InvoiceParams, object, LinkBody, Invoice>({
    ...invoiceRoute(deps),
    method: 'post',
    path: '/invoices/:id/link',
    summary: 'Link an invoice to a view of a ticket',
    errors: [...changeErrors, '404 ticket_not_found', '404 view_not_found'],
    description:
      'It becomes a line of that view. The same view again changes nothing; another one moves the line. Where something speaks against the link, give a `reason`: the console asks for one.',
    body: Joi.object<LinkBody>({
      ticketId: id.required(),
      viewId: id.required().description('one of the `views` of the ticket'),
      reason: Joi.string()
        .max(500)
        .pattern(/\S/)
        .messages({ 'string.pattern.base': '{{#label}} must not be blank' })
        .description('why all the same, in a sentence; it is kept in the history and in the audit log'),
    }),
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, body, ...request }) {
      const { version } = await deps.actions.link(found, body, operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}

function unlinkRoute(deps: Deps): Route {
  return route<InvoiceParams, object, UnlinkBody, Invoice>({
    ...invoiceRoute(deps),
    method: 'post',
    path: '/invoices/:id/unlink',
    summary: 'Take an invoice from its ticket, back into the queue',
    errors: changeErrors,
    description:
      'Its line goes, and it is never matched with that ticket again, except by hand. With `keepCandidate` the link is undone: the ticket is still suggested, and an invoice that was linked out of review is in review again, with its `reasons`.',
    body: Joi.object<UnlinkBody>({
      keepCandidate: Joi.boolean().default(false).description('undo the link: the ticket is not refused'),
    }),
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, body, ...request }) {
      const { version } = await deps.actions.unlink(found, body.keepCandidate ? 'undo' : 'refuse', operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}

function clearRoute(deps: Deps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(deps),
    method: 'post',
    path: '/invoices/:id/clear-review',
    summary: 'Pass over what made an invoice wait for review, and put it into the queue',
    errors: changeErrors,
    description: 'For invoices in `manual_review` that have no ticket; its `reasons` do not hold it back any more.',
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, ...request }) {
      const { version } = await deps.actions.clearReview(found, operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}

type Request = Pick<Context<never, never, never, never>, 'caller' | 'principal' | 'precondition' | 'write' | 'req'>;

function operatorOf({ caller, principal, precondition, write, req }: Request): Operator {
  const source = auditSource({ principal, req });
  const { userId: id, placeIds } = caller;
  return { by: { id }, placeIds, token: bearerToken(req), source, precondition, write };
}

function resyncRoute({ connections }: Deps): Route {
  return route<object, object, ResyncBody>({
    ...accountingRoute,
    method: 'post',
    path: '/invoices/resync',
    summary: 'Have an invoice fetched from its provider again',
    errors: ['400 unknown_provider', '404 connection_not_found'],
    body: Joi.object<ResyncBody>({
      provider: Joi.string().max(64).required(),
      externalId: Joi.string().max(200).required(),
    }),
    reply: { status: 202, schema: okSchema },
    async handle({ body, req }) {
      await connections.resync(body, bearerToken(req));
      return respond(202, ok);
    },
  });
}

const amount = Joi.number().positive().max(1_000_000_000).allow(null).default(null);

function statusRoute(deps: Deps): Route {
  return route<InvoiceParams, object, StatusBody, Invoice>({
    ...invoiceRoute(deps),
    method: 'post',
    path: '/invoices/:id/status',
    summary: 'Tell the supplier where an invoice stands',
    errors: [...changeErrors, '409 invoice_status_forbidden'],
    description:
      'By way of the provider. `supplierStatus.sendable` of the invoice has the statuses that may be told now, with the reasons and fields of each. `refused` is final, and concludes the invoice as `POST /invoices/:id/refuse` does. The same again, as long as it holds, changes nothing.',
    body: Joi.object<StatusBody>({
      status: oneOf(toldByPeople).required(),
      reason: oneOf(statusReasons).allow(null).default(null),
      note: Joi.string()
        .trim()
        .max(500)
        .allow(null)
        .default(null)
        .description('a sentence for the supplier; of a suspension: what is missing'),
      amount: amount.description('approved for a part, without VAT; paid, with VAT'),
      date: Joi.string()
        .isoDate()
        .pattern(/^\d{4}-\d{2}-\d{2}$/)
        .messages({ 'string.pattern.base': '{{#label}} must be a day, YYYY-MM-DD' })
        .allow(null)
        .default(null)
        .description('of the payment'),
      action: oneOf(Object.keys(actionCodes)).allow(null).default(null).description('what the supplier is asked to do'),
    }),
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, body: { status, ...details }, ...request }) {
      const { version } = await deps.actions.tell(found, { status, details }, operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}

/** Routes that end an invoice without a ticket, and take that back. */
function conclusionRoutes(deps: Deps): Route[] {
  return [
    concludeRoute<NoTicketBody>(deps, {
      path: '/invoices/:id/no-ticket',
      summary: 'Say that an invoice belongs to no ticket',
      description: waits,
      body: Joi.object<NoTicketBody>({ reason }),
      concluded: (body) => ({ outcome: 'no_ticket', reason: body.reason }),
    }),
    concludeRoute<DuplicateBody>(deps, {
      path: '/invoices/:id/duplicate-of',
      summary: 'Say that an invoice duplicates another one',
      description: `${waits} The other one may be in any state, but is no duplicate itself.`,
      errors: ['422 invalid_duplicate'],
      body: Joi.object<DuplicateBody>({
        reason,
        invoiceId: id.required().description('the invoice that it duplicates'),
      }),
      concluded: (body) => ({ outcome: 'duplicate_of', reason: body.reason, invoice_id: body.invoiceId }),
    }),
    concludeRoute<RefusalBody>(deps, {
      path: '/invoices/:id/refuse',
      summary: 'Refuse an invoice',
      description: `${waits} The supplier is told if that is possible now (\`supplierStatus.sendable\` of the invoice), with a code from there; \`POST /invoices/:id/status\` refuses only an invoice whose supplier is told.`,
      errors: ['409 invoice_status_forbidden'],
      body: Joi.object<RefusalBody>({
        reason,
        code: oneOf(refusalReasons).required().description('why, for the provider'),
      }),
      concluded: (body) => ({ outcome: 'refused', reason: body.reason, code: body.code }),
    }),
    reopenRoute(deps),
  ];
}

type Conclusion<Body> = {
  path: string;
  summary: string;
  description: string;
  errors?: readonly ErrorLine[];
  body: Joi.ObjectSchema<Body>;
  concluded: (body: Body) => Concluded;
};

function concludeRoute<Body>(deps: Deps, { concluded, errors = [], ...its }: Conclusion<Body>): Route {
  return route<InvoiceParams, object, Body, Invoice>({
    ...invoiceRoute(deps),
    ...its,
    method: 'post',
    errors: [...changeErrors, ...errors],
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, body, ...request }) {
      const { version } = await deps.actions.conclude(found, concluded(body), operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}

function reopenRoute(deps: Deps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(deps),
    method: 'post',
    path: '/invoices/:id/reopen',
    summary: 'Take back that an invoice has no ticket, is a duplicate, or was refused',
    errors: [...changeErrors, '409 invoice_status_forbidden'],
    description:
      'It waits again where it waited, with its suggestions and reasons; after an error it is read again. A provider that was told of a refusal is told `reversed`; where it takes no such thing, the refusal is final.',
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, ...request }) {
      const { version } = await deps.actions.reopen(found, operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}
