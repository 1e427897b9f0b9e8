import { createApp, id, type Listening, listen, route, sendVersion } from '@app/http';
import { newId } from '@app/kernel';
import { testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';
import type { PushedPurchase } from '../tickets/ticket-client.ts';
import type { TicketContext } from '../tickets/ticket-context.ts';

/** A ticket whose client and contractors see it, each by its own view. */
export type FakeTicket = {
  id: string;
  version: number;
  updatedAt: string;
  clientId: string;
  /** Company, by which its view is found. */
  views: Map<string, TicketContext['own']>;
  contractor: TicketContext['contractor'];
  quoteIds: string[];
};

export type FakeTicketService = Awaited<ReturnType<typeof startFakeTicketService>>;
/** `broken`: it answers with an error; `mute`: it takes the request and never answers. */
type Behaviour = 'well' | 'broken' | 'mute';

const never = () => new Promise<never>(() => undefined);

/** What the ticket service's internal operations answer, over real HTTP: another service, so it is not ours to import. */
export async function startFakeTicketService(port = 0) {
  const common = { host: 'internal', tag: 'Internal', access: { permission: null } } as const;
  const fake = {
    tickets: new Map<string, FakeTicket>(),
    /** The documents that were kept, each pushed by its own buyer. */
    pushed: [] as PushedPurchase[],
    behaviour: 'well' as Behaviour,
    /** The same for pushes alone. */
    pushBehaviour: 'well' as Behaviour,
    /** Called with each request before it is answered. */
    asked: async (_ticketId: string) => {},
    /** Called with each push before it is answered. */
    onPush: async () => {},
    /** Stores nothing of what is pushed. */
    refuseAll: false,
    /** Answers a push with the version of the ticket. */
    tellsVersions: false,
    /** The company sees the ticket as a contractor who is at work. */
    giveTo(ticket: FakeTicket, companyId: string, given: Partial<TicketContext['own']> = {}) {
      const view = { view_id: newId(), role: 'contractor', state: 'active', status: 'assigned', ...given } as const;
      ticket.views.set(companyId, view);
    },
    /** A ticket of the client, opened. */
    add(clientId: string, given: Partial<TicketContext['own']> = {}) {
      const view = { view_id: newId(), role: 'client', state: 'client', status: 'opened', ...given } as const;
      const views = new Map<string, TicketContext['own']>([[clientId, view]]);
      const updatedAt = new Date(0).toISOString();
      const common = { id: newId(), version: 1, updatedAt, clientId };
      const ticket: FakeTicket = { ...common, views, contractor: null, quoteIds: [] };
      fake.tickets.set(ticket.id, ticket);
      return ticket;
    },
  };
  const behave = async (behaviour: Behaviour) => {
    if (behaviour === 'mute') await never();
    if (behaviour === 'broken') throw new Error('broken');
  };
  const routes = [
    route<object, object, { ticket_ids: string[] }>({
      ...common,
      method: 'post',
      path: '/internal/purchase-contexts',
      summary: 'contexts',
      body: Joi.object<{ ticket_ids: string[] }>({ ticket_ids: Joi.array().items(id).required() }),
      reply: { status: 200 },
      async handle({ body, caller }) {
        await behave(fake.behaviour);
        const answered = body.ticket_ids.map((one) => structuredClone(contextOf(fake.tickets.get(one), caller)));
        await Promise.all(body.ticket_ids.map((one) => fake.asked(one)));
        return { contexts: answered };
      },
    }),
    route<object, object, { purchases: PushedPurchase[] }>({
      ...common,
      method: 'put',
      path: '/internal/purchases',
      summary: 'push',
      body: Joi.object<{ purchases: PushedPurchase[] }>({ purchases: Joi.array().items(Joi.object()).required() }),
      reply: { status: 200 },
      async handle({ body, caller, res }) {
        await fake.onPush();
        await behave(fake.pushBehaviour);
        const isOwn = ({ purchase }: PushedPurchase) =>
          !fake.refuseAll && purchase.buyer_company_id === caller.companyId;
        fake.pushed.push(...body.purchases.filter(isOwn));
        const { version } = fake.tickets.get(body.purchases[0]?.purchase.ticket_id ?? '') ?? {};
        if (fake.tellsVersions && version !== undefined) sendVersion(res, version);
        return { kept: body.purchases.map(isOwn) };
      },
    }),
  ];
  const app = createApp({ routes, logger: testLogger(), verifyToken: verifyTestToken });
  const server: Listening = await listen(app, { host: '127.0.0.1', port });
  return Object.assign(fake, {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    stop: () => server.close(),
  });
}

function contextOf(ticket: FakeTicket | undefined, { companyId }: { companyId: string }): TicketContext | null {
  const own = ticket?.views.get(companyId);
  if (!ticket || !own) return null;
  return {
    ticket: { id: ticket.id, number: 'T-000042', title: 'Chambre froide' },
    version: ticket.version,
    updated_at: ticket.updatedAt,
    client_id: ticket.clientId,
    own,
    contractor: ticket.contractor,
    quote_ids: ticket.quoteIds,
  };
}
