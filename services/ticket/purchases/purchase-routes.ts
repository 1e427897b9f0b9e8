import {
  type AttachedFile,
  attachedFileSchema,
  type Caller,
  type PurchaseSnapshot,
  purchaseSchema,
} from '@app/contracts';
import { id, type Route, route } from '@app/http';
import { type FieldError, ValidationError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import Joi from 'joi';
import type { TicketSummary, TicketSummaryStore } from '../tickets/ticket-summary-store.ts';
import { purchaseContext } from './purchase-context.ts';
import type { PurchaseProjection } from './purchase-projection.ts';
import { createTicketSummaryCache } from './ticket-summary-cache.ts';

type Deps = { glances: TicketSummaryStore; purchases: PurchaseProjection; logger: Logger; now: () => Date };
type Asked = { ticket_ids: string[] };
type HandedOver = { purchase: PurchaseSnapshot; document?: AttachedFile };

/** Of one request: what came to the purchase service within a moment (docs/decisions.md). */
const mostAtOnce = 100;
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
const handedOver = Joi.object<HandedOver>({ purchase: purchaseSchema.required(), document: attachedFileSchema });

const internal = { host: 'internal', tag: 'Internal', access: { permission: null } } as const;

/** What the purchase service asks of tickets, and what it hands over before it answers (design section 2). */
export function purchaseRoutes({ glances, purchases, logger, now }: Deps): Route[] {
  const recent = createTicketSummaryCache<TicketSummary>(now);

  async function look(ticketId: string, caller: Caller): Promise<TicketSummary | null> {
    const ticket = await glances.find(ticketId, caller);
    if (ticket) recent.set(ticket, caller);
    return ticket;
  }

  /** A file is told to whoever is on the ticket, so that it is looked at as it is now. */
  function ticketOf({ purchase, document }: HandedOver, caller: Caller): Promise<TicketSummary | null> | TicketSummary {
    const hasFile = document !== undefined || purchase.document_id !== null;
    return (hasFile ? null : recent.get(purchase.ticket_id, caller)) ?? glances.find(purchase.ticket_id, caller);
  }

  /** What fails fails alone: the others of its request are kept, and its events tell it once more. */
  async function keep(handed: HandedOver, caller: Caller): Promise<boolean> {
    const { purchase, document } = handed;
    try {
      const ticket = await ticketOf(handed, caller);
      if (!ticket || purchase.buyer_company_id !== caller.companyId) return false;
      await purchases.apply(purchase, ticket);
      if (document) await purchases.attachFile(document, ticket);
      return true;
    } catch (error) {
      logger.warn('a purchase document that was handed over could not be kept', { purchaseId: purchase.id, error });
      return false;
    }
  }

  return [
    route<object, object, Asked>({
      ...internal,
      method: 'post',
      path: '/internal/purchase-contexts',
      summary:
        'Tickets as writes of purchase documents need them, in the order asked; null for what the caller does not see',
      body: Joi.object<Asked>({ ticket_ids: Joi.array().items(id).min(1).max(mostAtOnce).required() }),
      reply: { status: 200, schema: contextsReply },
      async handle({ caller, body }) {
        const found = await Promise.all(body.ticket_ids.map((one) => look(one, caller)));
        return { contexts: found.map((ticket) => ticket && purchaseContext(ticket, caller.companyId)) };
      },
    }),
    route<object, object, { purchases: HandedOver[] }>({
      ...internal,
      method: 'put',
      path: '/internal/purchases',
      summary:
        'Take over purchase documents at their versions, and the files attached to them; false for one whose ticket the caller does not see, or whose buyer it is not, and for one that could not be kept',
      // A newer purchase service may send more; consumers of its events let that through as well.
      body: Joi.object<{ purchases: HandedOver[] }>({
        purchases: Joi.array().items(handedOver).min(1).max(mostAtOnce).required(),
      }).prefs({ allowUnknown: true }),
      reply: { status: 200, schema: keptReply },
      async handle({ caller, body }) {
        const errors = body.purchases.flatMap(misnamed);
        if (errors.length > 0) throw new ValidationError(errors);
        return { kept: await Promise.all(body.purchases.map((one) => keep(one, caller))) };
      },
    }),
  ];
}

/** Where a file says that it is of something else than its document. */
function misnamed({ purchase, document }: HandedOver, at: number): FieldError[] {
  if (!document) return [];
  const expected: [string, string, string][] = [
    ['ticket_id', document.ticket_id, purchase.ticket_id],
    ['purchase_id', document.purchase_id, purchase.id],
    ['kind', document.kind, purchase.kind],
    ['buyer_company_id', document.buyer_company_id, purchase.buyer_company_id],
  ];
  return expected.flatMap(([name, given, wanted]): FieldError[] => {
    const path = `purchases.${at}.document.${name}`;
    return given === wanted ? [] : [{ path, message: `${path} is not that of its purchase document` }];
  });
}
