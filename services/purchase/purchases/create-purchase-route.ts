import { type Route, respond, route } from '@app/http';
import Joi from 'joi';
import { type TicketClient, tokenOf } from '../tickets/ticket-client.ts';
import { type TicketContext, takesWrites } from '../tickets/ticket-context.ts';
import type { CreationRequest, CreationResult, NewPurchase } from './create-purchase.ts';
import { isJustWritten, type Purchase, purchaseSnapshot, purchaseView } from './purchase.ts';
import { purchaseFields } from './purchase-fields.ts';
import { onTicket, purchaseSchema, purchasesPath, type TicketParams } from './purchase-route-base.ts';
import type { SupplierAssignment } from './supplier-assignment.ts';

type Deps = {
  tickets: TicketClient;
  issue: (issuing: CreationRequest) => Promise<CreationResult>;
  addressing: Pick<SupplierAssignment, 'recheck'>;
  now: () => Date;
};

const { kind, reference, source_system, quote_id, purchase_order_id, date, amount } = purchaseFields;

const body = Joi.object<NewPurchase>({
  kind: kind.required(),
  reference: reference.required(),
  source_system: source_system.default(null),
  quote_id: quote_id.default(null),
  purchase_order_id: purchase_order_id.default(null),
  date: date.description('default: now'),
  amount: amount.default(null),
});

/** POST of spec section 4.2: creates, or answers with the live document of the same kind and reference. */
export function createPurchaseRoute({ tickets, issue, addressing, now }: Deps): Route {
  /** Whoever wrote it may be dead, or still at it: what follows its writing is done by whoever answers with it. */
  async function show({ purchase: written, created }: CreationResult, { client_id }: TicketContext, token: string) {
    const handOver = (purchase: Purchase) => tickets.pushSnapshot({ purchase: purchaseSnapshot(purchase) }, token);
    const settle = async () =>
      created || isJustWritten(written, now()) ? addressing.recheck(written, client_id) : written;
    const [settled] = await Promise.all([settle(), handOver(written)]);
    if (settled.version !== written.version) await handOver(settled);
    return settled;
  }

  return route<TicketParams, object, NewPurchase, TicketContext>({
    ...onTicket({ tickets }),
    method: 'post',
    path: purchasesPath,
    summary: 'Create a purchase document',
    description:
      'Where you have a live document of the same kind and reference on the ticket, it is returned unchanged with 200 and `created: false`: a retry is safe.',
    body,
    reply: { status: 201, schema: Joi.object({ purchase: purchaseSchema, created: Joi.boolean() }) },
    async handle({ resource: context, caller, body: input, req }) {
      const issued = await issue({ caller, context, input });
      const purchase = await show(issued, context, tokenOf(req));
      const { created } = issued;
      return respond(created ? 201 : 200, { purchase: purchaseView(purchase, takesWrites(context)), created });
    },
  });
}
