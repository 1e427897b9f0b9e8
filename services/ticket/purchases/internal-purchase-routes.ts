import {
  type AttachedFile,
  attachedFileSchema,
  type Caller,
  type PurchaseSnapshot,
  purchaseSchema,
} from '@app/contracts';
import { id, type Route, route, sendVersion } from '@app/http';
import { type FieldError, ValidationError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import Joi from 'joi';
import type { TicketSummaryStore } from '../tickets/stores/ticket-summary-store.ts';
import { loadVisibleSummary } from '../tickets/ticket-route-base.ts';
import { purchaseContext } from './purchase-context.ts';
import type { PurchaseProjection } from './purchase-projection.ts';

type Deps = { summaries: TicketSummaryStore; purchaseProjection: PurchaseProjection; logger: Logger };
type PushedPurchase = { purchase: PurchaseSnapshot; document?: AttachedFile };

/** The limit of one request; the purchase service sends one. */
const maxItems = 100;
const nullableId = Joi.string().allow(null);
const context = Joi.object({
  ticket: Joi.object({ id: Joi.string(), number: Joi.string(), title: Joi.string() }),
  version: Joi.number(),
  updated_at: Joi.string().isoDate(),
  client_id: Joi.string(),
  own: Joi.object({ view_id: Joi.string(), role: Joi.string(), state: Joi.string(), status: Joi.string() }),
  contractor: Joi.object({ contractor_id: Joi.string(), company_id: nullableId }).allow(null),
  quote_ids: Joi.array().items(Joi.string()),
});

const contextsReply = Joi.object({ contexts: Joi.array().items(context.allow(null)) });
const keptReply = Joi.object({ kept: Joi.array().items(Joi.boolean()) });
const pushedPurchase = Joi.object<PushedPurchase>({
  purchase: purchaseSchema.required(),
  document: attachedFileSchema,
});

const internal = { host: 'internal', tag: 'Internal', access: { permission: null } } as const;

/** What the purchase service asks of tickets before it writes, and what it pushes before it replies. */
export function internalPurchaseRoutes(deps: Deps): Route[] {
  return [contextsRoute(deps), pushRoute(deps)];
}

function contextsRoute({ summaries }: Deps): Route {
  async function contextOf(ticketId: string, caller: Caller) {
    const ticket = await summaries.find(ticketId, caller);
    return ticket && purchaseContext(ticket, caller.companyId);
  }

  return route<object, object, { ticket_ids: string[] }>({
    ...internal,
    method: 'post',
    path: '/internal/purchase-contexts',
    summary:
      'Tickets as writes of purchase documents need them, in the order asked; null for what the caller does not see',
    body: Joi.object<{ ticket_ids: string[] }>({
      ticket_ids: Joi.array().items(id).min(1).max(maxItems).required(),
    }),
    reply: { status: 200, schema: contextsReply },
    handle: async ({ caller, body }) => ({
      contexts: await Promise.all(body.ticket_ids.map((ticketId) => contextOf(ticketId, caller))),
    }),
  });
}

function pushRoute({ summaries, purchaseProjection, logger }: Deps): Route {
  /**
   * @returns the version of its ticket; null if it was refused or failed. That affects no other item, and its event brings it again.
   */
  async function apply({ purchase, document }: PushedPurchase, caller: Caller): Promise<number | null> {
    if (purchase.buyer_company_id !== caller.companyId) return null;
    try {
      const ticket = loadVisibleSummary(summaries, purchase.ticket_id, caller);
      await purchaseProjection.apply(purchase, ticket);
      if (document) await purchaseProjection.attachFile(document, await ticket);
      return (await ticket).version;
    } catch (error) {
      logger.warn('a pushed purchase document could not be saved', { purchaseId: purchase.id, error });
      return null;
    }
  }

  return route<object, object, { purchases: PushedPurchase[] }>({
    ...internal,
    method: 'put',
    path: '/internal/purchases',
    summary:
      'Take over purchase documents at their versions, and the files attached to them; false for one whose ticket the caller does not see, or whose buyer it is not, and for one that could not be kept. The ETag has the version of the first ticket',
    // A newer purchase service may send more fields; consumers of its events accept them too.
    body: Joi.object<{ purchases: PushedPurchase[] }>({
      purchases: Joi.array().items(pushedPurchase).min(1).max(maxItems).required(),
    }).prefs({ allowUnknown: true }),
    reply: { status: 200, schema: keptReply },
    async handle({ caller, body, res }) {
      const errors = body.purchases.flatMap(documentFaults);
      if (errors.length > 0) throw new ValidationError(errors);
      const versions = await Promise.all(body.purchases.map((pushed) => apply(pushed, caller)));
      const [first = null] = versions;
      if (first !== null) sendVersion(res, first);
      return { kept: versions.map((version) => version !== null) };
    },
  });
}

/** The fields in which a file names something else than its purchase document. */
function documentFaults({ purchase, document }: PushedPurchase, index: number): FieldError[] {
  if (!document) return [];
  const expected: [string, string, string][] = [
    ['ticket_id', document.ticket_id, purchase.ticket_id],
    ['purchase_id', document.purchase_id, purchase.id],
    ['kind', document.kind, purchase.kind],
    ['buyer_company_id', document.buyer_company_id, purchase.buyer_company_id],
  ];
  return expected.flatMap(([name, given, wanted]): FieldError[] => {
    const path = `purchases.${index}.document.${name}`;
    return given === wanted ? [] : [{ path, message: `${path} is not that of its purchase document` }];
  });
}
