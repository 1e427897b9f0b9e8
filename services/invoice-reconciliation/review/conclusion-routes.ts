import { refusalCodes } from '@app/contracts';
import { id, type Route, route, sendVersion } from '@app/http';
import Joi from 'joi';
import type { Concluded, Invoice } from '../invoices/invoice.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { type InvoiceParams, invoiceRoute } from './invoice-route-base.ts';
import { okSchema } from './invoice-schemas.ts';
import type { OperatorActions } from './operator-actions.ts';
import { changeErrors, ok, operatorOf } from './operator-routes.ts';

type Deps = { store: InvoiceStore; actions: Pick<OperatorActions, 'conclude' | 'reopen'> };

type NoTicketBody = { reason: string };
type DuplicateBody = { reason: string; invoiceId: string };
type RefusalBody = { reason: string; code: (typeof refusalCodes)[number] };

const reason = Joi.string().trim().max(500).required().description('why, in a sentence; it is kept in the history');
const waits = 'For invoices that wait for a person and have no ticket. It rests in `done`, until it is reopened.';

/** Routes that end an invoice without a ticket, and take that back. */
export function conclusionRoutes(deps: Deps): Route[] {
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
      description: `${waits} Its provider is told, if it takes refusals (\`takesRefusals\` of \`GET /invoice-providers\`): \`feedback\` of the invoice says what came of it.`,
      body: Joi.object<RefusalBody>({
        reason,
        code: Joi.string()
          .valid(...refusalCodes)
          .required()
          .description('why, for the provider'),
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
  errors?: readonly '422 invalid_duplicate'[];
  body: Joi.ObjectSchema<Body>;
  concluded: (body: Body) => Concluded;
};

function concludeRoute<Body>({ store, actions }: Deps, { concluded, errors = [], ...its }: Conclusion<Body>): Route {
  return route<InvoiceParams, object, Body, Invoice>({
    ...invoiceRoute(store),
    ...its,
    method: 'post',
    errors: [...changeErrors, ...errors],
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, body, ...request }) {
      const { version } = await actions.conclude(found, concluded(body), operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}

function reopenRoute({ store, actions }: Deps): Route {
  return route<InvoiceParams, object, object, Invoice>({
    ...invoiceRoute(store),
    method: 'post',
    path: '/invoices/:id/reopen',
    summary: 'Take back that an invoice has no ticket, is a duplicate, or was refused',
    errors: changeErrors,
    description:
      'It waits again where it waited, with its suggestions and reasons; after an error it is read again. A provider that was told of a refusal is told `reversed`.',
    reply: { status: 200, schema: okSchema },
    versioned: true,
    async handle({ resource: found, ...request }) {
      const { version } = await actions.reopen(found, operatorOf(request));
      sendVersion(request.res, version);
      return ok;
    },
  });
}
