import { type Route, respond, route } from '@app/http';
import Joi from 'joi';
import type { Addressing } from './address.ts';
import { purchaseFields } from './fields-routes.ts';
import type { Issued, Issuing, NewPurchase } from './issue.ts';
import { onTicket, purchaseSchema, purchasesPath, type TicketParams } from './on-ticket-routes.ts';
import { factsOf, isJustWritten, type Purchase, purchaseView } from './purchase.ts';
import { type TicketClient, tokenOf } from './ticket-client.ts';
import { type TicketContext, takesWrites } from './ticket-context.ts';

type Deps = {
  tickets: TicketClient;
  issue: (issuing: Issuing) => Promise<Issued>;
  addressing: Pick<Addressing, 'settle'>;
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
export function creationRoute({ tickets, issue, addressing, now }: Deps): Route {
  /** Whoever wrote it may be dead, or still at it: what follows its writing is done by whoever answers with it. */
  async function show({ purchase: written, created }: Issued, { client_id }: TicketContext, token: string) {
    const handOver = (purchase: Purchase) => tickets.handOver({ purchase: factsOf(purchase) }, token);
    const settle = async () =>
      created || isJustWritten(written, now()) ? addressing.settle(written, client_id) : written;
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
