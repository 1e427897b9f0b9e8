import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route, Webhook } from '@app/http';
import type { Broker, ConsumerOptions } from '@app/messaging';
import { createStorage, createUrlSigner } from '@app/storage';
import mongoose from 'mongoose';
import { createApp as createConnection } from '../../../services/connection/app.ts';
import { routes as gatewayRoutes } from '../../../services/gateway/routing/routes.ts';
import { createApp as createIdentity } from '../../../services/identity/app.ts';
import { createApp as createReconciliation } from '../../../services/invoice-reconciliation/app.ts';
import { createApp as createPurchase } from '../../../services/purchase/app.ts';
import { createApp as createTicket } from '../../../services/ticket/app.ts';
import { createApp as createDispatcher } from '../../../services/webhook-dispatcher/app.ts';

/** A service's routes, the webhooks that it sends, and the event types that it consumes by queue. */
export type DescribedService = {
  name: string;
  description: string;
  routes: Route[];
  webhooks: Webhook[];
  consumes: { queue: string; types: string[] }[];
};

type Described = Omit<DescribedService, 'name' | 'description'>;

const none: Described = { routes: [], webhooks: [], consumes: [] };

/** Wires every service as its main.ts does, with connections that are never opened, and describes it. */
export async function describeServices(root: string): Promise<DescribedService[]> {
  const described: [string, Described][] = [
    ['gateway', none],
    ['identity', await wired(identity)],
    ['ticket', await wired(ticket)],
    ['purchase', await wired(purchase)],
    ['webhook-dispatcher', await wired(dispatcher)],
    ['connection', await wired(connection)],
    ['invoice-reconciliation', await wired(reconciliation)],
    ['console', none],
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
const reader = { read: () => Promise.reject(new Error('described, not run')), close: async () => undefined };

type Parts = ReturnType<typeof disconnected>;
type Wired = { routes: Route[]; webhooks?: Webhook[]; subscribe(): Promise<void> };

/** Fake infrastructure: the broker records the subscriptions. */
function disconnected(consumes: Described['consumes']) {
  const broker: Broker = {
    publish: async () => undefined,
    async subscribe({ queue, table }: ConsumerOptions) {
      consumes.push({ queue, types: table.map(({ eventType }) => eventType.type) });
    },
    stopConsuming: async () => undefined,
    ready: async () => undefined,
    close: async () => undefined,
  };
  const connection = mongoose.createConnection();
  const storage = createStorage({ url: 'file:///nowhere' });
  const links = createUrlSigner({ keys: [key], baseUrl: 'http://download.invalid' });
  return { broker, connection, storage, links, logger, verifyToken };
}

async function wired(wire: (parts: Parts) => Wired): Promise<Described> {
  const consumes: Described['consumes'] = [];
  const { routes, webhooks = [], subscribe } = wire(disconnected(consumes));
  await subscribe();
  return { routes, webhooks, consumes };
}

function identity(parts: Parts): Wired {
  return createIdentity({ ...parts, sessionKeys: [key], platformAdminTokens: [], secureCookie: true, publicUrl: '' });
}

function ticket(parts: Parts): Wired {
  return createTicket({
    ...parts,
    thumbnails: { of: async (file) => file },
    identityUrl: 'http://identity.invalid',
    baseUrl: 'http://api.invalid',
    proposalLifetimeMs: null,
    timerIntervalMs: 60_000,
  });
}

function purchase(parts: Parts): Wired {
  return createPurchase({ ...parts, ticketUrl: 'http://ticket.invalid' });
}

function reconciliation(parts: Parts): Wired {
  return createReconciliation({
    ...parts,
    providerOf: () => null,
    reader,
    ticketUrl: 'http://ticket.invalid',
    connectionUrl: 'http://connection.invalid',
    settings: { matching: {}, rematchDelayMs: 1, retryDelaysMs: [], pollEveryMs: 1, concurrency: 1 },
  });
}

function dispatcher(parts: Parts): Wired {
  const settings = { timeoutMs: 1, endpointConcurrency: 1, totalConcurrency: 1, retryDelaysMs: [], allowNetworks: [] };
  return createDispatcher({
    ...parts,
    resolve: async () => [],
    credentialsKeys: [key],
    settings,
  });
}

function connection({ connection: database, ...parts }: Parts): Wired {
  const limits = { pollIntervalMs: 1, retryDelaysMs: [], timeoutMs: 1, probeAfterMs: 1, concurrency: 1 };
  return createConnection({
    ...parts,
    database,
    providers: new Map(),
    reader,
    credentialsKeys: [key],
    limits: { ...limits, totalConcurrency: 1, leaseMs: 1 },
  });
}
