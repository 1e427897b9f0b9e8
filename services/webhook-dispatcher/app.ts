import { createApp as createHttpApp, type VerifyToken } from '@app/http';
import type { Broker } from '@app/messaging';
import { createSecretBox, ensureIndexes, type Logger, metrics, type NamedKey } from '@app/runtime';
import { createAddressPolicy, type Resolve } from '@app/ssrf-guard';
import type { Connection } from 'mongoose';
import { Counter, Histogram } from 'prom-client';
import { createContactStore } from './contact-store.ts';
import { createDeliverer } from './deliver.ts';
import type { Attempt } from './delivery.ts';
import { createDeliveryLogStore } from './delivery-log-store.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { createDeliveryStore, dropFormerIndex } from './delivery-store.ts';
import { createSender, type SenderSettings } from './dispatch.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { createEndpointStore } from './endpoint-store.ts';
import { createFailureStore } from './failure-store.ts';
import { createMailClient, type MailSettings } from './mail-client.ts';
import { createNoticeStore } from './notice-store.ts';
import { createReceiverClient } from './receiver-client.ts';
import { contactSubscriptions, subscriptions } from './subscriptions.ts';
import { createTargetStore } from './target-store.ts';
import { createTeller } from './tell.ts';

export type AppDeps = {
  connection: Connection;
  broker: Broker;
  logger: Logger;
  verifyToken: VerifyToken;
  resolve: Resolve;
  credentialsKeys: readonly NamedKey[];
  settings: SenderSettings & { retryDelaysMs: readonly number[]; allowNetworks: readonly string[] };
  /** How companies are told of failing endpoints; without it by the API alone. */
  mail?: (MailSettings & { docsUrl: string | null; everyMs?: number; sweepEveryMs?: number }) | null;
};

const attempts = new Histogram({
  name: 'webhook_attempt_duration_seconds',
  help: 'Time of an attempt from DNS to the last byte read, by what came of it',
  labelNames: ['result'] as const,
  buckets: [0.01, 0.05, 0.2, 1, 5, 10],
  registers: [metrics],
});

const disabled = new Counter({
  name: 'webhook_endpoints_disabled_total',
  help: 'Endpoints that were disabled because 10 deliveries in a row were exhausted',
  registers: [metrics],
});

const observe = {
  attempted: ({ error, durationMs }: Attempt) => attempts.observe({ result: error ?? 'succeeded' }, durationMs / 1000),
  disabled: () => disabled.inc(),
};

/**
 * Events handled at once. An event is handled until its deliveries are stored, as a rule after their first attempt, so a flood
 * for one endpoint is taken at its pace instead of being written off to wait.
 */
const prefetch = 256;
/** A company gets one e-mail in that time at most, about all that has happened meanwhile. */
const mailEveryMs = 15 * 60_000;
const noticeSweepMs = 5_000;

/** The service but for its process: used by main.ts and by every test; the caller prepares and starts it, and listens. */
export function createApp({
  connection,
  broker,
  logger,
  verifyToken,
  resolve,
  credentialsKeys,
  settings,
  ...rest
}: AppDeps) {
  const mail = rest.mail ? { everyMs: mailEveryMs, sweepEveryMs: noticeSweepMs, ...rest.mail } : null;
  const notices = createNoticeStore(connection, { everyMs: mail?.everyMs ?? mailEveryMs });
  const endpoints = createEndpointStore(connection);
  const deliveries = createDeliveryStore(connection);
  const secrets = createSecretBox(credentialsKeys);
  const policy = createAddressPolicy(settings.allowNetworks);
  const client = createReceiverClient({ policy, resolve, timeoutMs: settings.timeoutMs });
  const transaction = <T>(work: Parameters<typeof connection.transaction<T>>[0]) => connection.transaction(work);
  const { retryDelaysMs } = settings;
  const log = createDeliveryLogStore(connection);
  const parts = { deliveries, log, notices, client, secrets, transaction, retryDelaysMs, logger, observe };
  const deliverer = createDeliverer({ ...parts, endpoints: createFailureStore(connection) });
  const sender = createSender({ targets: createTargetStore(connection), deliveries, deliverer, settings, logger });
  const deps = { endpoints, deliveries, log, deliverer, sender, secrets, policy };
  const contacts = createContactStore(connection);
  const teller = mail && createTeller({ ...mail, notices, contacts, mail: createMailClient(mail), broker, logger });
  const routes = [...endpointRoutes(deps), ...deliveryRoutes(deps)];

  return {
    http: createHttpApp({ service: 'webhook-dispatcher', routes, logger, verifyToken }),
    routes,
    /** Makes the indexes: before anything else. */
    async prepare(): Promise<void> {
      await ensureIndexes(connection);
      await dropFormerIndex(connection);
    },
    start(): void {
      sender.start();
      teller?.start();
    },
    async subscribe(): Promise<void> {
      const table = subscriptions({ endpoints, sender, now: () => new Date() });
      await broker.subscribe({ queue: 'events', table, prefetch });
      await broker.subscribe({ queue: 'contacts', table: contactSubscriptions(contacts) });
    },
    /** To be called once the broker gives no more events. */
    async stop() {
      await Promise.all([sender.stop(), teller?.stop()]);
    },
  };
}
