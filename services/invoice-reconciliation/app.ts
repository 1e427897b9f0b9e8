import { createApp as createHttpApp, type Route, type VerifyToken } from '@app/http';
import type { MatchSettings } from '@app/matching';
import { type Broker, createRelay, type Relay } from '@app/messaging';
import type { InvoiceReader } from '@app/providers';
import { type Logger, metrics, type NamedKey } from '@app/runtime';
import type { Storage, UrlSigner } from '@app/storage';
import type { Connection } from 'mongoose';
import { Counter } from 'prom-client';
import { createKeepCopies } from './copies/keep-copies.ts';
import { createPurchaseKeeping } from './copies/purchase-keeping-store.ts';
import { createReferenceCopies } from './copies/reference-copies-store.ts';
import { createTicketClient } from './copies/ticket-client.ts';
import { createTicketCopies } from './copies/ticket-copies-store.ts';
import { createTicketKeeping } from './copies/ticket-keeping-store.ts';
import { createConnectionClient } from './invoices/connection-client.ts';
import { createFinder } from './invoices/find-ticket.ts';
import { createHabitStore } from './invoices/habit-store.ts';
import { createIngest } from './invoices/ingest.ts';
import { invoiceRoutes } from './invoices/invoice-routes.ts';
import { createInvoiceStore } from './invoices/invoice-store.ts';
import { createMatchStore } from './invoices/match-store.ts';
import { createOperate } from './invoices/operate.ts';
import { operatorRoutes } from './invoices/operator-routes.ts';
import { createPayloads } from './invoices/payload-store.ts';
import { createCursors } from './invoices/queue-cursor.ts';
import { createQueueStore } from './invoices/queue-store.ts';
import { createReconcile, type KnownProvider } from './invoices/reconcile.ts';
import { createFlagReplaced } from './invoices/replaced-store.ts';
import { createSweep, type Sweep } from './invoices/sweep.ts';
import { createTombstoneStore } from './invoices/tombstone-store.ts';
import { createAskAgain } from './request-facts.ts';
import { subscriptions } from './subscriptions.ts';

export type Deps = {
  connection: Connection;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  storage: Pick<Storage, 'get' | 'remove'>;
  links: UrlSigner;
  logger: Logger;
  verifyToken: VerifyToken;
  providerOf: (key: string) => KnownProvider | null;
  reader: InvoiceReader;
  /** The first signs cursors, all verify them. */
  cursorKeys: NamedKey[];
  ticketUrl: string;
  connectionUrl: string;
  settings: {
    matching: Partial<MatchSettings>;
    rematchDelayMs: number;
    retryDelaysMs: readonly number[];
    sweepEveryMs: number;
    handOverForMs?: number;
    concurrency: number;
  };
  now?: () => Date;
};

const matched = new Counter({
  name: 'invoices_matched_automatically_total',
  help: 'Invoices that were put on a ticket without a person',
  registers: [metrics],
});
const undone = new Counter({
  name: 'invoice_automatic_matches_undone_total',
  help: 'Of those, the ones that a person took from that ticket within 30 days: more than 1 % is too many',
  registers: [metrics],
});
const observer = { matched: () => matched.inc(), undone: () => undone.inc() };

/** Facts in hand at once of the queues that are taken in batches: as many as one batch takes. */
const factsAtOnce = 200;
const inBatches = ['tickets', 'purchases'];

export type App = {
  handler: ReturnType<typeof createHttpApp>;
  routes: Route[];
  relay: Relay;
  sweep: Sweep;
  /** Starts listening to events. */
  subscribe(): Promise<void>;
};

/** The service on its real parts; the caller makes the indexes, starts relay, sweep and subscriptions, and listens. */
export function createApp({ connection, broker, storage, logger, verifyToken, settings, ...rest }: Deps): App {
  const { links, providerOf, reader, cursorKeys, ticketUrl, connectionUrl, now = () => new Date() } = rest;
  const relay = createRelay({ broker, logger });
  const store = createInvoiceStore({ connection, relay, observer });
  const invoices = createMatchStore({ connection });
  const askAgain = createAskAgain({ broker, logger });
  // What could not be asked for now is asked for at the next look.
  const unreadable = () => void askAgain().catch((error) => logger.warn('facts could not be asked for', { error }));
  const tickets = createTicketCopies({ connection, unreadable });
  const keeping = createTicketKeeping({ connection, askAgain });
  const references = createReferenceCopies({ connection });
  const payloads = createPayloads({ storage, logger });
  const base = {
    ...settings,
    store,
    invoices,
    tickets,
    keeping,
    references,
    payloads,
    providerOf,
    reader,
    logger,
    now,
  };
  const hasFeedback = (provider: string) => providerOf(provider)?.capabilities.feedback ?? false;
  const habits = createHabitStore({ connection });
  const finder = createFinder({ ...base, habits, hasFeedback });
  const reconcile = createReconcile({ ...base, finder });
  const client = createTicketClient({ baseUrl: ticketUrl, handOverForMs: settings.handOverForMs });
  const operate = createOperate({ ...base, finder, habits, client });
  const routes = [
    ...invoiceRoutes({
      store,
      lists: createQueueStore({ connection }),
      cursorsOf: (list) => createCursors(cursorKeys, list),
      links,
      flagReplaced: createFlagReplaced({ connection }),
    }),
    ...operatorRoutes({ store, operate, connections: createConnectionClient({ baseUrl: connectionUrl }) }),
  ];
  const keep = createKeepCopies({ ...base, documents: createPurchaseKeeping({ connection, askAgain }) });
  const ingest = createIngest({ ...base, tombstones: createTombstoneStore({ connection }), reconcile });
  const listensTo = subscriptions({ ...base, ingest, keep });
  return {
    handler: createHttpApp({ service: 'invoice-reconciliation', routes, logger, verifyToken }),
    routes,
    relay,
    sweep: createSweep({ ...base, reconcile, keep, everyMs: settings.sweepEveryMs }),
    async subscribe() {
      for (const [queue, table] of Object.entries(listensTo)) {
        const prefetch = inBatches.includes(queue) ? factsAtOnce : settings.concurrency;
        await broker.subscribe({ queue, table, prefetch });
      }
    },
  };
}
