import { answer, bearerToken, type Route, route, sendVersion } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { TicketClient } from '../tickets/ticket-client.ts';
import { permitQuote, permitWrite } from '../tickets/ticket-context.ts';
import { permitOrder } from './create-purchase.ts';
import {
  type Purchase,
  type PurchaseInput,
  permitBuyer,
  permitOrderLink,
  purchaseResponse,
  purchaseSnapshot,
} from './purchase.ts';
import { purchaseFields } from './purchase-fields.ts';
import {
  changeErrors,
  type Found,
  type LoadContext,
  onPurchase,
  type PurchaseParams,
  purchaseSchema,
  purchasesPath,
} from './purchase-route-base.ts';
import { amend, remove } from './purchase-rules.ts';
import type { PurchaseStore } from './purchase-store.ts';

type Deps = { tickets: TicketClient; purchases: PurchaseStore; now: () => Date };
type Changes = Partial<PurchaseInput>;
type Body = Changes & Partial<Pick<Purchase, 'kind'>>;

const body = Joi.object<Body>({
  ...purchaseFields,
  kind: purchaseFields.kind.description('only as it is: it does not change'),
}).min(1);

/** Changing and deleting a purchase document. */
export function changePurchaseRoutes(deps: Deps): Route[] {
  return [amendmentRoute(deps), removalRoute(deps)];
}

function amendmentRoute(deps: Deps): Route {
  const { tickets, purchases, now } = deps;
  return route<PurchaseParams, object, Body, Found>({
    ...onPurchase(deps),
    method: 'patch',
    path: `${purchasesPath}/:purchase_id`,
    summary: 'Change a purchase document',
    description: 'Changes only the fields sent; null clears or unlinks.',
    body,
    errors: changeErrors,
    reply: { status: 200, schema: answer({ purchase: purchaseSchema }) },
    versioned: true,
    async handle({ resource: found, caller, body: { kind, ...sent }, precondition, req, res }) {
      const { context, purchase } = found;
      if (kind !== undefined && kind !== purchase.kind) throw kindIsFixed(purchase);
      permitBuyer(purchase, caller.companyId);
      permitWrite(context);
      precondition?.(purchase.version);
      await permitLinks(deps, found, sent);
      const act = { by: caller.userId, at: now() };
      const decide = (current: Purchase) => {
        precondition?.(current.version);
        return amend(current, sent, act);
      };
      const { purchase: after } = await purchases.change(purchase, decide, { write: null });
      await tickets.pushSnapshot({ purchase: purchaseSnapshot(after) }, bearerToken(req));
      sendVersion(res, after.version);
      return { purchase: purchaseResponse(after, true) };
    },
  });
}

/** A link that does not change stays valid, even to an order deleted since. */
async function permitLinks({ purchases }: Deps, { context, purchase }: Found, sent: Changes): Promise<void> {
  const { quote_id, purchase_order_id } = sent;
  if (quote_id !== undefined && quote_id !== purchase.quote_id) permitQuote(context, quote_id);
  if (purchase_order_id === undefined || purchase_order_id === purchase.purchase_order_id) return;
  permitOrderLink(purchase.kind);
  await permitOrder(purchases, purchase, purchase_order_id);
}

function kindIsFixed({ kind }: Purchase): ValidationError {
  return new ValidationError([{ path: 'kind', message: `kind does not change: it is ${kind}` }]);
}

function removalRoute(deps: Deps): Route {
  const { tickets, purchases, now } = deps;
  /** A deletion whose push failed was answered 502: it is deleted here, but may still be shown on the ticket. */
  async function pushDeleted({ params, caller, req }: LoadContext<PurchaseParams>): Promise<void> {
    const deleted = await purchases.findDeleted(params.ticket_id, params.purchase_id);
    if (deleted?.buyer_company_id !== caller.companyId) return;
    await tickets.pushSnapshot({ purchase: purchaseSnapshot(deleted) }, bearerToken(req));
  }

  return route<PurchaseParams, object, object, Found>({
    ...onPurchase({ ...deps, missing: pushDeleted }),
    method: 'delete',
    path: `${purchasesPath}/:purchase_id`,
    summary: 'Delete a purchase document',
    description: "Its reference can be used again; its file stays in the ticket's Documents tab.",
    reply: { status: 204 },
    versioned: true,
    async handle({ resource: { context, purchase }, caller, precondition, req }) {
      permitBuyer(purchase, caller.companyId);
      permitWrite(context);
      const act = { by: caller.userId, at: now() };
      const decide = (current: Purchase) => {
        precondition?.(current.version);
        return remove(current, act);
      };
      const { purchase: after } = await purchases.change(purchase, decide, { write: null });
      await tickets.pushSnapshot({ purchase: purchaseSnapshot(after) }, bearerToken(req));
    },
  });
}
