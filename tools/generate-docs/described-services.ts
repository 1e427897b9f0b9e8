import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '@app/http';
import type { Broker, ConsumerOptions } from '@app/messaging';
import { createLinks, createStorage } from '@app/storage';
import mongoose from 'mongoose';
import { createApp as createConnection } from '../../services/connection/app.ts';
import { routes as gatewayRoutes } from '../../services/gateway/routes.ts';
import { createApp as createIdentity } from '../../services/identity/app.ts';
import { createApp as createReconciliation } from '../../services/invoice-reconciliation/app.ts';
import { createApp as createPurchase } from '../../services/purchase/app.ts';
import { createApp as createTicket } from '../../services/ticket/app.ts';
import { createApp as createDispatcher } from '../../services/webhook-dispatcher/app.ts';

/** What a service says of itself: its table of routes, and what it listens to, by queue. */
export type DescribedService = {
  name: string;
  description: string;
  routes: Route[];
  consumes: { queue: string; types: string[] }[];
};

type Described = Omit<DescribedService, 'name' | 'description'>;

/** Every service that there is so far: wired as its main.ts wires it, on parts that are never connected to. */
export async function describeServices(root: string): Promise<DescribedService[]> {
  const described: [string, Described][] = [
    ['gateway', { routes: [], consumes: [] }],
    ['identity', await identity()],
    ['ticket', await ticket()],
    ['purchase', await purchase()],
    ['webhook-dispatcher', await dispatcher()],
    ['connection', await connection()],
    ['invoice-reconciliation', await reconciliation()],
  ];
  return described.map(([name, parts]) => ({ name, description: descriptionOf(root, name), ...parts }));
}

/** The gateway's own table: which service answers what, by host and prefix. */
export { gatewayRoutes };

function descriptionOf(root: string, name: string): string {
  const file = join(root, 'services', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { description: string }).description;
}

const quiet = () => undefined;
const logger = { error: quiet, warn: quiet, info: quiet, debug: quiet };
const verifyToken = async () => ({ kind: 'platform' }) as const;
const key = { id: 'docs', secret: Buffer.alloc(32) };

/** A broker that notes what was asked of it. */
function notingBroker() {
  const consumes: Described['consumes'] = [];
  const broker: Broker = {
    publish: async () => undefined,
    async subscribe({ queue, table }: ConsumerOptions) {
      consumes.push({ queue, types: table.map(({ eventType }) => eventType.type) });
    },
    ready: async () => undefined,
    close: async () => undefined,
  };
  return { broker, consumes };
}

async function identity(): Promise<Described> {
  const { broker, consumes } = notingBroker();
  const { routes, subscribe } = createIdentity({
    connection: mongoose.createConnection(),
    broker,
    logger,
    verifyToken,
    sessionKeys: [key],
    platformAdminToken: 'docs',
    secureCookie: true,
  });
  await subscribe();
  return { routes, consumes };
}

async function ticket(): Promise<Described> {
  const { broker, consumes } = notingBroker();
  const { routes, subscribe } = createTicket({
    connection: mongoose.createConnection(),
    broker,
    storage: createStorage({ url: 'file:///nowhere' }),
    links: createLinks({ keys: [key], baseUrl: 'http://download.invalid' }),
    logger,
    verifyToken,
    identityUrl: 'http://identity.invalid',
    baseUrl: 'http://api.invalid',
    proposalLifetimeMs: null,
    timerIntervalMs: 60_000,
  });
  await subscribe();
  return { routes, consumes };
}

async function purchase(): Promise<Described> {
  const { broker, consumes } = notingBroker();
  const { routes, subscribe } = createPurchase({
    connection: mongoose.createConnection(),
    broker,
    storage: createStorage({ url: 'file:///nowhere' }),
    logger,
    verifyToken,
    ticketUrl: 'http://ticket.invalid',
  });
  await subscribe();
  return { routes, consumes };
}

async function reconciliation(): Promise<Described> {
  const { broker, consumes } = notingBroker();
  const { routes, subscribe } = createReconciliation({
    connection: mongoose.createConnection(),
    broker,
    storage: createStorage({ url: 'file:///nowhere' }),
    links: createLinks({ keys: [key], baseUrl: 'http://download.invalid' }),
    logger,
    verifyToken,
    providerOf: () => null,
    cursorKeys: [key],
    ticketUrl: 'http://ticket.invalid',
    connectionUrl: 'http://connection.invalid',
    settings: { matching: {}, rematchDelayMs: 1, retryDelaysMs: [], sweepEveryMs: 1, concurrency: 1 },
  });
  await subscribe();
  return { routes, consumes };
}

async function dispatcher(): Promise<Described> {
  const { broker, consumes } = notingBroker();
  const { routes, start, stop } = createDispatcher({
    connection: mongoose.createConnection(),
    broker,
    logger,
    verifyToken,
    resolve: async () => [],
    credentialsKeys: [key],
    settings: {
      timeoutMs: 1,
      endpointConcurrency: 1,
      totalConcurrency: 1,
      retryDelaysMs: [],
      allowNetworks: [],
    },
  });
  // Stopped before its first look into a database that is not there.
  await start();
  await stop();
  return { routes, consumes };
}

async function connection(): Promise<Described> {
  const { broker, consumes } = notingBroker();
  const { routes, subscribe } = createConnection({
    database: mongoose.createConnection(),
    broker,
    storage: createStorage({ url: 'file:///nowhere' }),
    logger,
    verifyToken,
    providers: new Map(),
    credentialsKeys: [key],
    limits: {
      pollIntervalMs: 1,
      retryDelaysMs: [],
      timeoutMs: 1,
      probeAfterMs: 1,
      concurrency: 1,
      totalConcurrency: 1,
      leaseMs: 1,
    },
  });
  await subscribe();
  return { routes, consumes };
}
