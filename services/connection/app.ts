import { createApp as createHttpApp, type Route, type VerifyToken } from '@app/http';
import { type Broker, createRelay } from '@app/messaging';
import type { InvoiceReader } from '@app/providers';
import { createSecretBox, type Logger, metrics, type NamedKey } from '@app/runtime';
import type { Storage } from '@app/storage';
import type { Connection as Database } from 'mongoose';
import { Counter } from 'prom-client';
import { createAccountStore } from './connections/account-store.ts';
import { connectionRoutes } from './connections/connection-routes.ts';
import { createConnectionStore } from './connections/connection-store.ts';
import { failureRoutes } from './jobs/failure-routes.ts';
import { createFailureStore } from './jobs/failure-store.ts';
import { createJobStore } from './jobs/job-store.ts';
import { createPerform, type Perform } from './jobs/perform.ts';
import { resyncRoutes } from './jobs/resync-routes.ts';
import { createWorker } from './jobs/work.ts';
import { createPoller } from './polls/poll.ts';
import { createPollStore } from './polls/poll-store.ts';
import { createProviderClients, type Providers } from './provider-client.ts';
import { subscriptions } from './subscriptions.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

export type WorkLimits = {
  pollIntervalMs: number;
  retryDelaysMs: number[];
  timeoutMs: number;
  probeAfterMs: number;
  concurrency: number;
  totalConcurrency: number;
  /** How long work stays with a process that says nothing any more. */
  leaseMs: number;
};

export type Deps = {
  database: Database;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  storage: Storage;
  logger: Logger;
  verifyToken: VerifyToken;
  providers: Providers;
  /** Reads the documents of invoices that are to be answered, beside the event loop. */
  reader: InvoiceReader;
  /** The first seals, all open. */
  credentialsKeys: NamedKey[];
  limits: WorkLimits;
  now?: () => Date;
};

export type App = {
  handler: ReturnType<typeof createHttpApp>;
  routes: Route[];
  /** Takes up what waits in the database; the caller has made the indexes. */
  start(): void;
  /** Listens to events. */
  subscribe(): Promise<void>;
  /** To be called once the broker gives no more events and nobody asks. */
  stop(): Promise<void>;
};

const calls = new Counter({
  name: 'provider_calls_total',
  help: 'Tries to fetch an invoice or to tell a provider of an outcome, by what came of them',
  labelNames: ['provider', 'kind', 'result'] as const,
  registers: [metrics],
});

function counted({ run, end }: Perform): Perform {
  return {
    async run(job, account, signal) {
      const result = await run(job, account, signal);
      calls.inc({ provider: account.provider, kind: job.kind, result });
      return result;
    },
    end,
  };
}

/** Feedback requests handled at once. */
const prefetch = 32;

/** The service on its real parts: used by main.ts and by every test. */
export function createApp({ database, broker, storage, logger, verifyToken, providers, ...rest }: Deps): App {
  const { credentialsKeys, limits, reader, now = () => new Date() } = rest;
  const secrets = createSecretBox(credentialsKeys);
  const relay = createRelay({ broker, logger });
  const connections = createConnectionStore({ database, secrets });
  const accounts = createAccountStore(database);
  const jobs = createJobStore({ database, relay });
  const failures = createFailureStore(database);
  const clients = createProviderClients({ providers, secrets, reader, timeoutMs: limits.timeoutMs });
  const perform = counted(createPerform({ ...limits, jobs, failures, accounts, clients, storage, logger, now }));
  const worker = createWorker({ jobs, accounts, perform, settings: limits, logger, now });
  const polls = createPollStore(database);
  const settings = { ...limits, intervalMs: limits.pollIntervalMs };
  const deps = { providers, accounts, jobs, failures, clients, secrets, wakeWorker: worker.wake, logger, now };
  const poller = createPoller({ ...deps, polls, settings });

  async function changed(connectionId: string, { stops }: { stops: boolean }): Promise<void> {
    worker.forget(connectionId);
    // What is under way here or elsewhere records nothing any more.
    if (stops) await jobs.revoke(connectionId, now());
    else poller.wake();
    worker.wake(connectionId);
  }

  const routes = [
    ...connectionRoutes({ ...deps, connections, changed }),
    ...failureRoutes({ ...deps, connections }),
    ...webhookRoutes(deps),
    ...resyncRoutes(deps),
  ];
  return {
    handler: createHttpApp({ service: 'connection', routes, logger, verifyToken }),
    routes,
    start() {
      relay.start();
      worker.start();
      poller.start();
    },
    async subscribe() {
      const tables = Object.entries(subscriptions(deps));
      await Promise.all(tables.map(([queue, table]) => broker.subscribe({ queue, table, prefetch })));
    },
    async stop() {
      await Promise.all([poller.stop(), worker.stop()]);
      await relay.stop();
    },
  };
}
