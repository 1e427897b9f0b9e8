import { id, type Route, respond, route } from '@app/http';
import Joi from 'joi';
import { tokenOf } from '../copies/ticket-client.ts';
import type { ConnectionClient } from './connection-client.ts';
import type { Invoice } from './invoice.ts';
import { okSchema } from './invoice-schema-routes.ts';
import type { InvoiceStore } from './invoice-store.ts';
import { type InvoiceParams, ofAccounting, onInvoice } from './on-invoice-routes.ts';
import type { Operate } from './operate.ts';

export type OperatorRouteDeps = { store: InvoiceStore; operate: Operate; connections: ConnectionClient };

type LinkBody = { ticketId: string; viewId: string };
type ResyncBody = { provider: string; externalId: string };

const ok = { ok: true };

/** What operators do with invoices (spec section 4.3, design section 10). */
export function operatorRoutes(deps: OperatorRouteDeps): Route[] {
  return [linkRoute(deps), unlinkRoute(deps), clearRoute(deps), resyncRoute(deps)];
}

function linkRoute({ store, operate }: OperatorRouteDeps): Route {
  return route<InvoiceParams, object, LinkBody, Invoice>({
    ...onInvoice(store),
    method: 'post',
    path: '/invoices/:id/link',
    summary: 'Link an invoice to a view of a ticket',
    description: 'It becomes a line of that view. The same view again changes nothing; another one moves the line.',
    body: Joi.object<LinkBody>({
      ticketId: id.required(),
      viewId: id.required().description('one of the `views` of the ticket'),
    }),
    reply: { status: 200, schema: okSchema },
    async handle({ resource: found, body, req }) {
      await operate.link(found, body, tokenOf(req));
      return ok;
    },
  });
}

function unlinkRoute({ store, operate }: OperatorRouteDeps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...onInvoice(store),
    method: 'post',
    path: '/invoices/:id/unlink',
    summary: 'Take an invoice from its ticket, back into the queue',
    description: 'Its line goes, and it is never matched with that ticket again, except by hand.',
    reply: { status: 200, schema: okSchema },
    async handle({ resource: found, req }) {
      await operate.unlink(found, tokenOf(req));
      return ok;
    },
  });
}

function clearRoute({ store, operate }: OperatorRouteDeps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...onInvoice(store),
    method: 'post',
    path: '/invoices/:id/clear-review',
    summary: 'Pass over what made an invoice wait for review, and put it into the queue',
    description: 'For invoices in `manual_review` that have no ticket; its `reasons` do not hold it back any more.',
    reply: { status: 200, schema: okSchema },
    async handle({ resource: found }) {
      await operate.clear(found);
      return ok;
    },
  });
}

function resyncRoute({ connections }: OperatorRouteDeps): Route {
  return route<object, object, ResyncBody>({
    ...ofAccounting,
    method: 'post',
    path: '/invoices/resync',
    summary: 'Have an invoice fetched from its provider again',
    body: Joi.object<ResyncBody>({
      provider: Joi.string().max(64).required(),
      externalId: Joi.string().max(200).required(),
    }),
    reply: { status: 202, schema: okSchema },
    async handle({ body, req }) {
      await connections.resync(body, tokenOf(req));
      return respond(202, ok);
    },
  });
}
