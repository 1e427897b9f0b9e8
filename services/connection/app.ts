import { createApp as createHttpApp, type VerifyToken } from '@app/http';
import { type Broker, createRelay } from '@app/messaging';
import type { InvoiceReader } from '@app/providers';
import { createSecretBox, type Logger, type NamedKey } from '@app/runtime';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { exportSubscription } from '@app/service/export';
import { createRestoreRecords, restoreSubscription } from '@app/service/restore';
import type { Storage } from '@app/storage';
import type { Connection as Database } from 'mongoose';
import { createCompanyClosureStore } from './connections/company-closure-store.ts';
import { createCompanyStore } from './connections/company-store.ts';
import { connectionRoutes } from './connections/connection-routes.ts';
import { ConnectionStore } from './connections/connection-store.ts';
import { createProviderAccountStore } from './connections/provider-account-store.ts';
import { createProviderClients, type Providers } from './connections/provider-clients.ts';
import { providerRoutes } from './connections/provider-routes.ts';
import { supplierAddressRoutes } from './connections/supplier-address-routes.ts';
import { exportSources } from './exports/export-sources.ts';
import { fetchFailureRoutes } from './jobs/fetch-failure-routes.ts';
import { createFetchFailureStore } from './jobs/fetch-failure-store.ts';
import { JobStore } from './jobs/job-store.ts';
import { resyncRoutes } from './jobs/resync-routes.ts';
import { JobRunner } from './jobs/run-job.ts';
import { Worker } from './jobs/worker.ts';
import { measurePolls } from './metrics.ts';
import { pollRequestRoutes } from './polls/poll-request-routes.ts';
import { createPollStore } from './polls/poll-store.ts';
import { ProviderPoller } from './polls/poller.ts';
import { createSubscriptionStore } from './polls/subscription-store.ts';
import { createSubscriptionsAtProvider } from './polls/subscriptions-at-provider.ts';
import { restoreParticipant } from './restore/restore-participant.ts';
import { subscriptions } from './subscriptions.ts';
import { callbackRoutes } from './webhooks/callback-routes.ts';
import { createSignatureLimit } from './webhooks/signature-limit.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

export type WorkLimits = {
  pollIntervalMs: number;
  retryDelaysMs: number[];
  timeoutMs: number;
  probeAfterMs: number;
  concurrency: number;
  totalConcurrency: number;
  /** A job or poll whose process has not renewed its lease for this long is taken over. */
  leaseMs: number;
};

export type Deps = {
  database: Database;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  storage: Storage;
  logger: Logger;
  verifyToken: VerifyToken;
  providers: Providers;
  /** Reads the invoices whose feedback repeats parts of them, in processes of its own. */
  reader: InvoiceReader;
  /** The first key seals, all keys open. */
  credentialsKeys: NamedKey[];
  /** The second API as providers reach it: connections subscribe at those that call back. */
  publicUrl?: string | undefined;
  limits: WorkLimits;
  now?: () => Date;
};

/** Unacknowledged feedback requests. */
const prefetch = 32;

type PollerDeps = Omit<ConstructorParameters<typeof ProviderPoller>[0], 'polls' | 'settings' | 'atProvider'>;

function createProviderPoller(
  database: Database,
  deps: PollerDeps & Parameters<typeof createSubscriptionsAtProvider>[0] & Pick<Deps, 'providers'>,
  limits: Deps['limits'],
): ProviderPoller {
  const polls = createPollStore(database);
  measurePolls({ polls, providers: [...deps.providers.keys()], now: deps.now });
  const atProvider = createSubscriptionsAtProvider(deps);
  return new ProviderPoller({ ...deps, polls, atProvider, settings: { ...limits, intervalMs: limits.pollIntervalMs } });
}

/** The service with its dependencies: used by main.ts and by every test. */
export function createApp({ database, broker, storage, logger, verifyToken, providers, ...rest }: Deps) {
  const { credentialsKeys, limits, publicUrl, reader, now = () => new Date() } = rest;
  const secrets = createSecretBox(credentialsKeys);
  const relay = createRelay({ broker, logger, now });
  const idempotencyKeys = createIdempotencyKeys({ connection: database, logger });
  const connections = new ConnectionStore({ database, secrets, relay });
  const accounts = createProviderAccountStore(database);
  const jobs = new JobStore({ database, relay, now });
  const failures = createFetchFailureStore(database);
  const clients = createProviderClients({ providers, secrets, reader, timeoutMs: limits.timeoutMs });
  const runner = new JobRunner({ ...limits, jobs, failures, accounts, clients, storage, logger, now });
  const worker = new Worker({ jobs, accounts, runner, settings: limits, logger, now });
  const deps = {
    providers,
    accounts,
    companies: createCompanyStore(database),
    closures: createCompanyClosureStore(database),
    jobs,
    failures,
    clients,
    secrets,
    subscriptions: createSubscriptionStore(database),
    wrongSignatures: createSignatureLimit({ now: () => now().getTime() }),
    publicUrl,
    logger,
    now,
    notifyWorker: (connectionId: string) => worker.notify(connectionId),
  };
  const restore = {
    service: 'connection',
    records: createRestoreRecords(database),
    broker,
    logger,
    now,
    participant: restoreParticipant(deps),
  };
  const poller = createProviderPoller(database, deps, limits);

  async function connectionChanged(connectionId: string, { stops }: { stops: boolean }): Promise<void> {
    await worker.releaseUnstarted(connectionId);
    // From here on, attempts in progress, here or in another replica, record nothing.
    if (stops) await jobs.revokeLeases(connectionId, now());
    else poller.notify();
    worker.notify(connectionId);
  }

  const routes = [
    ...connectionRoutes({ ...deps, connections, countFailures: (id) => jobs.countFailures(id), connectionChanged }),
    ...providerRoutes({ providers }),
    ...pollRequestRoutes({ connections, notifyPoller: () => poller.notify(), now }),
    ...fetchFailureRoutes({ ...deps, connections }),
    ...webhookRoutes(deps),
    ...callbackRoutes(deps),
    ...resyncRoutes(deps),
    ...supplierAddressRoutes(deps),
  ];
  return {
    handler: createHttpApp({ routes, logger, verifyToken, idempotencyKeys }),
    routes,
    /** Starts the background work; the indexes must exist. */
    start() {
      relay.start();
      worker.start();
      poller.start();
    },
    /** Starts consuming events. */
    async subscribe() {
      const tables = Object.entries(subscriptions({ ...deps, connectionChanged }));
      await Promise.all(tables.map(([queue, table]) => broker.subscribe({ queue, table, prefetch })));
      const sources = exportSources({ connections, jobs });
      await broker.subscribe(restoreSubscription(restore));
      await broker.subscribe(exportSubscription({ service: 'connection', sources, broker, now }));
    },
    /** To be called once the HTTP server and the broker are closed. */
    async stop() {
      await Promise.all([poller.stop(), worker.stop()]);
      await relay.stop();
    },
  };
}
