import { answer, bearerToken, type Route, respond, route, sendVersion } from '@app/http';
import Joi from 'joi';
import type { TicketClient } from '../tickets/ticket-client.ts';
import { type TicketContext, takesWrites } from '../tickets/ticket-context.ts';
import type { CreatePurchase, CreationResult, NewPurchase } from './create-purchase.ts';
import { isJustWritten, type Purchase, purchaseResponse, purchaseSnapshot } from './purchase.ts';
import { purchaseFields } from './purchase-fields.ts';
import { creationErrors, onTicket, purchaseSchema, purchasesPath, type TicketParams } from './purchase-route-base.ts';
import type { SupplierAssignment } from './supplier-assignment.ts';

type Deps = {
  tickets: TicketClient;
  createPurchase: CreatePurchase;
  supplierAssignment: Pick<SupplierAssignment, 'recheck'>;
  now: () => Date;
};

const { kind, reference, source_system, quote_id, purchase_order_id, date, amount, includes_vat } = purchaseFields;

const body = Joi.object<NewPurchase>({
  kind: kind.required(),
  reference: reference.required(),
  source_system: source_system.default(null),
  quote_id: quote_id.default(null),
  purchase_order_id: purchase_order_id.default(null),
  date: date.description('default: now'),
  amount: amount.default(null),
  includes_vat: includes_vat.default(false),
});

/** Creates a purchase document, or replies with the live one of the same kind and reference. */
export function createPurchaseRoutes(deps: Deps): Route[] {
  const { tickets, createPurchase } = deps;
  return [
    route<TicketParams, object, NewPurchase, TicketContext>({
      ...onTicket({ tickets }),
      method: 'post',
      path: purchasesPath,
      summary: 'Create a purchase document',
      description:
        'Where you have a live document of the same kind and reference on the ticket, it is returned unchanged with 200 and `created: false`: a retry is safe.',
      body,
      repeatable: true,
      errors: creationErrors,
      reply: {
        status: 201,
        schema: answer({ purchase: purchaseSchema, created: Joi.boolean() }),
        description: 'It was created',
        also: { 200: 'It exists: nothing was created' },
      },
      versioned: 'answer',
      async handle({ resource: context, caller, body: input, req, res }) {
        const result = await createPurchase({ caller, context, input });
        const purchase = await finish(deps, result, { context, token: bearerToken(req) });
        const { created } = result;
        sendVersion(res, purchase.version);
        return respond(created ? 201 : 200, { purchase: purchaseResponse(purchase, takesWrites(context)), created });
      },
    }),
  ];
}

/**
 * Pushes the document to its ticket and checks the supplier. Every request that replies with the
 * document does so, not only the one that wrote it: that one may still be running, or its process
 * may have died.
 */
async function finish(
  { tickets, supplierAssignment, now }: Deps,
  { purchase: written, created }: CreationResult,
  { context, token }: { context: TicketContext; token: string },
): Promise<Purchase> {
  const push = (purchase: Purchase) => tickets.pushSnapshot({ purchase: purchaseSnapshot(purchase) }, token);
  const isToCheck = created || isJustWritten(written, now());
  const ticketVersion = await push(written);
  if (!isToCheck) return written;
  const purchase = await supplierAssignment.recheck(written, { clientId: context.client_id, ticketVersion });
  if (purchase.version !== written.version) await push(purchase);
  return purchase;
}
