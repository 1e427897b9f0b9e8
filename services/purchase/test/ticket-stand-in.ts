import { createApp, id, type Listening, listen, respond, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import { testLogger, verifyTestToken } from '@app/testing';
import Joi from 'joi';
import type { HandedOver } from '../ticket-client.ts';
import type { TicketContext } from '../ticket-context.ts';

type TicketParams = { ticket_id: string };
type PurchaseParams = TicketParams & { purchase_id: string };

/** A ticket whose client and contractors see it, each by its own view. */
export type StandInTicket = {
  id: string;
  version: number;
  clientId: string;
  /** Company, by which its view is found. */
  views: Map<string, TicketContext['own']>;
  contractor: TicketContext['contractor'];
  quoteIds: string[];
};

export type TicketStandIn = {
  tickets: Map<string, StandInTicket>;
  handedOver: HandedOver[];
  /** How it answers; `mute` takes the question and never answers. */
  mood: 'well' | 'broken' | 'mute';
  /** As `mood`, for hand-overs alone. */
  handOverMood: 'well' | 'broken' | 'mute';
  /** Called with each question before it is answered. */
  asked: (ticketId: string) => Promise<void>;
  url: string;
  port: number;
  /** A ticket of the client, opened. */
  add(clientId: string, given?: Partial<TicketContext['own']>): StandInTicket;
  stop(): Promise<void>;
};

const never = () => new Promise<never>(() => undefined);

/** What the ticket service's internal operations answer, over real HTTP: another service, so it is not ours to import. */
export async function startTickets(port = 0): Promise<TicketStandIn> {
  const common = { host: 'internal', tag: 'Internal', access: { permission: null } } as const;
  const standIn = {
    tickets: new Map<string, StandInTicket>(),
    handedOver: [] as HandedOver[],
    mood: 'well' as TicketStandIn['mood'],
    handOverMood: 'well' as TicketStandIn['mood'],
    asked: async (_ticketId: string) => {},
    add(clientId: string, given: Partial<TicketContext['own']> = {}) {
      const view = { view_id: newId(), role: 'client', state: 'client', status: 'opened', ...given } as const;
      const views = new Map<string, TicketContext['own']>([[clientId, view]]);
      const ticket: StandInTicket = { id: newId(), version: 1, clientId, views, contractor: null, quoteIds: [] };
      standIn.tickets.set(ticket.id, ticket);
      return ticket;
    },
  };
  const ofMood = async (mood: TicketStandIn['mood']) => {
    if (mood === 'mute') await never();
    if (mood === 'broken') throw new Error('broken');
  };
  const routes = [
    route<TicketParams>({
      ...common,
      method: 'get',
      path: '/internal/tickets/:ticket_id/purchase-context',
      summary: 'context',
      params: Joi.object<TicketParams>({ ticket_id: id.required() }),
      reply: { status: 200 },
      async handle({ params, caller }) {
        await ofMood(standIn.mood);
        const ticket = standIn.tickets.get(params.ticket_id);
        const own = ticket?.views.get(caller.companyId);
        if (!ticket || !own) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
        const context: TicketContext = {
          ticket: { id: ticket.id, number: 'T-000042', title: 'Chambre froide' },
          version: ticket.version,
          client_id: ticket.clientId,
          own,
          contractor: ticket.contractor,
          quote_ids: ticket.quoteIds,
        };
        const answered = structuredClone(context);
        await standIn.asked(ticket.id);
        return answered;
      },
    }),
    route<PurchaseParams, object, HandedOver>({
      ...common,
      method: 'put',
      path: '/internal/tickets/:ticket_id/purchases/:purchase_id',
      summary: 'hand over',
      params: Joi.object<PurchaseParams>({ ticket_id: id.required(), purchase_id: id.required() }),
      body: Joi.object<HandedOver>({ purchase: Joi.object().required(), document: Joi.object() }).unknown(),
      reply: { status: 204 },
      async handle({ body }) {
        await ofMood(standIn.handOverMood);
        standIn.handedOver.push(body);
        return respond(204);
      },
    }),
  ];
  const app = createApp({ service: 'ticket', routes, logger: testLogger(), verifyToken: verifyTestToken });
  const server: Listening = await listen(app, { host: '127.0.0.1', port });
  return Object.assign(standIn, {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    stop: () => server.close(),
  });
}
