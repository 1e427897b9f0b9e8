import { type AttachedFile, attachedFileSchema, type Caller, type PurchaseFacts, purchaseSchema } from '@app/contracts';
import { id, type Route, respond, route } from '@app/http';
import { AppError, type FieldError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import { visibleGlance } from '../tickets/on-ticket-routes.ts';
import type { TicketGlance, TicketGlances } from '../tickets/ticket-glance-store.ts';
import type { PurchaseKeeper } from './keep-purchase.ts';
import { purchaseContext } from './purchase-context.ts';

type Deps = { glances: TicketGlances; purchases: PurchaseKeeper };
type TicketParams = { ticket_id: string };
type Params = TicketParams & { purchase_id: string };
type Body = { purchase: PurchaseFacts; document?: AttachedFile };

const nullableId = Joi.string().allow(null);
const contextReply = Joi.object({
  ticket: Joi.object({ id: Joi.string(), number: Joi.string(), title: Joi.string() }),
  version: Joi.number(),
  client_id: Joi.string(),
  own: Joi.object({ view_id: Joi.string(), role: Joi.string(), state: Joi.string(), status: Joi.string() }),
  contractor: Joi.object({ contractor_id: Joi.string(), company_id: nullableId }).allow(null),
  quote_ids: Joi.array().items(Joi.string()),
});

const internal = { host: 'internal', tag: 'Internal', access: { permission: null } } as const;

/** What the purchase service asks of tickets, and what it hands over before it answers (design section 2). */
export function purchaseRoutes({ glances, purchases }: Deps): Route[] {
  const find = ({ params, caller }: { params: TicketParams; caller: Caller }) =>
    visibleGlance(glances, params.ticket_id, caller);
  return [
    route<TicketParams, object, object, TicketGlance>({
      ...internal,
      method: 'get',
      path: '/internal/tickets/:ticket_id/purchase-context',
      summary: 'A ticket as a write of a purchase document needs it',
      params: Joi.object<TicketParams>({ ticket_id: id.required() }),
      find,
      reply: { status: 200, schema: contextReply },
      handle: async ({ found, caller }) => purchaseContext(found, caller.companyId),
    }),
    route<Params, object, Body, TicketGlance>({
      ...internal,
      method: 'put',
      path: '/internal/tickets/:ticket_id/purchases/:purchase_id',
      summary: 'Take over a purchase document at its version, and the file attached to it',
      params: Joi.object<Params>({ ticket_id: id.required(), purchase_id: id.required() }),
      find,
      // A newer purchase service may send more; consumers of its events let that through as well.
      body: Joi.object<Body>({ purchase: purchaseSchema.required(), document: attachedFileSchema }).prefs({
        allowUnknown: true,
      }),
      reply: { status: 204 },
      async handle({ found, caller, params, body: { purchase, document } }) {
        checkNames(params, { purchase, ...(document ? { document } : {}) });
        if (purchase.buyer_company_id !== caller.companyId) {
          throw new AppError('not_found', 'purchase_not_found', 'there is no such purchase document');
        }
        await purchases.keep(purchase, found);
        if (document) await purchases.attach(document, found);
        return respond(204);
      },
    }),
  ];
}

/** @throws ValidationError where the body is not about what the path names */
function checkNames({ ticket_id, purchase_id }: Params, { purchase, document }: Body): void {
  const expected: [string, string, string][] = [
    ['purchase.id', purchase.id, purchase_id],
    ['purchase.ticket_id', purchase.ticket_id, ticket_id],
    ...(document ? expectedOf(document, { ticket_id, purchase }) : []),
  ];
  const errors = expected.flatMap(([path, given, wanted]): FieldError[] =>
    given === wanted ? [] : [{ path, message: `${path} names something else than the path` }],
  );
  if (errors.length > 0) throw new ValidationError(errors);
}

function expectedOf(
  document: AttachedFile,
  { ticket_id, purchase }: { ticket_id: string; purchase: PurchaseFacts },
): [string, string, string][] {
  return [
    ['document.ticket_id', document.ticket_id, ticket_id],
    ['document.purchase_id', document.purchase_id, purchase.id],
    ['document.kind', document.kind, purchase.kind],
    ['document.buyer_company_id', document.buyer_company_id, purchase.buyer_company_id],
  ];
}
