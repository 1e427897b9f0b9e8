import { createApp as createHttpApp, type VerifyToken } from '@app/http';
import { type Broker, createRelay } from '@app/messaging';
import { createSecretBox, type Logger, type NamedKey, type SecretBox } from '@app/runtime';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { type AddressPolicy, createAddressPolicy, type Resolve } from '@app/runtime/ssrf-guard';
import { createErasures } from '@app/service/erasure';
import { exportSubscription } from '@app/service/export';
import { createRestoreRecords, restoreSubscription } from '@app/service/restore';
import type { Connection } from 'mongoose';
import { createDeliveryLogStore, type DeliveryLogStore } from './deliveries/delivery-log-store.ts';
import { deliveryRoutes } from './deliveries/delivery-routes.ts';
import { createDeliveryStore, type DeliveryStore } from './deliveries/delivery-store.ts';
import { createCompanyClosureStore } from './endpoints/company-closure-store.ts';
import { createEndpointCache } from './endpoints/endpoint-cache-store.ts';
import { createEndpointHealthStore } from './endpoints/endpoint-health-store.ts';
import { endpointRoutes } from './endpoints/endpoint-routes.ts';
import { createEndpointStore } from './endpoints/endpoint-store.ts';
import { eventTypeRoutes, webhookDocs } from './endpoints/event-type-routes.ts';
import { SubscriberCache } from './endpoints/subscriber-cache.ts';
import { eraseFromDeliveries } from './erasure/person-store.ts';
import { exportSources } from './exports/export-sources.ts';
import { measureDue, sendingObserver } from './metrics.ts';
import { redeliveryRoutes } from './redeliveries/redelivery-routes.ts';
import { createRedeliveryStore } from './redeliveries/redelivery-store.ts';
import { createRedeliveryWorker } from './redeliveries/redelivery-worker.ts';
import { restoreParticipant } from './restore/restore-participant.ts';
import { Dispatcher, type DispatcherSettings } from './sending/dispatcher.ts';
import { createFailingEndpoints } from './sending/failing-endpoints-store.ts';
import { createReceiverClient } from './sending/receiver-client.ts';
import { ResultRecorder } from './sending/result-recorder.ts';
import { createWebhookSender } from './sending/webhook-sender.ts';
import { AttemptCounter } from './statistics/attempt-counter.ts';
import { type AttemptStatisticsStore, createAttemptStatisticsStore } from './statistics/attempt-statistics-store.ts';
import { statisticsRoutes } from './statistics/statistics-routes.ts';
import { closureSubscriptions, subscriptions } from './subscriptions.ts';

const service = 'webhook-dispatcher';

export type AppDeps = {
  connection: Connection;
  broker: Broker;
  logger: Logger;
  verifyToken: VerifyToken;
  resolve: Resolve;
  credentialsKeys: readonly NamedKey[];
  settings: DispatcherSettings & {
    retryDelaysMs: readonly number[];
    allowNetworks: readonly string[];
    proxy?: URL | null;
  };
  /** The pause between the two passes of an erasure. */
  erasureSettleMs?: number;
  now?: () => Date;
};

type Clocked = AppDeps & { now: () => Date };

/**
 * Events that are handled at once. An event is handled until its deliveries are stored, most often
 * after their first attempt, so that a burst for one endpoint is consumed at the pace of that
 * endpoint.
 */
const prefetch = 256;

/** The service without its process, for main.ts and the tests. The caller creates the indexes, starts it, and listens. */
export function createApp({ now = () => new Date(), ...given }: AppDeps) {
  const deps = { ...given, now };
  const { connection, broker, logger, verifyToken, settings } = deps;
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const relay = createRelay({ broker, logger, now });
  const endpoints = createEndpointStore(connection, relay);
  const closures = createCompanyClosureStore(connection);
  const deliveries = createDeliveryStore(connection);
  const log = createDeliveryLogStore(connection);
  const secrets = createSecretBox(deps.credentialsKeys);
  const policy = createAddressPolicy(settings.allowNetworks);
  const statistics = createAttemptStatisticsStore(connection);
  const sending = createSending(deps, { deliveries, log, statistics, secrets, policy });
  const { dispatcher, sender, counter } = sending;
  const erasePage = eraseFromDeliveries(connection);
  const erasures = createErasures({
    connection,
    broker,
    logger,
    now,
    service,
    erasePage,
    settleMs: given.erasureSettleMs,
  });
  const redeliveries = createRedeliveryStore(connection);
  const redeliveryWorker = createRedeliveryWorker({ redeliveries, endpoints, log, dispatcher, logger, now });
  measureDue({ log, now });
  const routes = [
    ...eventTypeRoutes(),
    ...endpointRoutes({ endpoints, closures, deliveries, dispatcher, secrets, policy, now }),
    ...deliveryRoutes({ endpoints, deliveries, log, dispatcher, sender, retryDelaysMs: settings.retryDelaysMs, now }),
    ...redeliveryRoutes({ endpoints, log, redeliveries, worker: redeliveryWorker, now }),
    ...statisticsRoutes({ endpoints, statistics, now }),
  ];

  return {
    http: createHttpApp({ routes, logger, verifyToken, idempotencyKeys }),
    routes,
    webhooks: webhookDocs(),
    start(): void {
      relay.start();
      dispatcher.start();
      redeliveryWorker.start();
      erasures.start();
    },
    async subscribe(): Promise<void> {
      const subscribers = new SubscriberCache({ endpoints });
      const table = subscriptions({ subscribers, dispatcher, erasures, now });
      await broker.subscribe({ queue: 'events', table, prefetch });
      await broker.subscribe(erasures.subscription);
      await broker.subscribe({ queue: 'closures', table: closureSubscriptions({ closures, deliveries, dispatcher }) });
      const participant = restoreParticipant({ erasures });
      const records = createRestoreRecords(connection);
      await broker.subscribe(restoreSubscription({ service, participant, records, broker, logger }));
      const sources = exportSources({ endpoints, log });
      await broker.subscribe(exportSubscription({ service, sources, routes, broker, now }));
    },
    /** To be called when the broker gives no more events. */
    async stop() {
      await Promise.all([dispatcher.stop(), redeliveryWorker.stop(), erasures.stop()]);
      await Promise.all([counter.stop(), relay.stop()]);
    },
  };
}

type SendingDeps = {
  deliveries: DeliveryStore;
  log: DeliveryLogStore;
  statistics: AttemptStatisticsStore;
  secrets: SecretBox;
  policy: AddressPolicy;
};

function createSending(deps: Clocked, { deliveries, log, statistics, secrets, policy }: SendingDeps) {
  const { connection, logger, settings, resolve, now } = deps;
  const client = createReceiverClient({
    policy,
    resolve,
    timeoutMs: settings.timeoutMs,
    proxy: settings.proxy ?? null,
  });
  const sender = createWebhookSender({ client, secrets, logger, now });
  const counter = new AttemptCounter({ statistics, logger });
  const recorder = new ResultRecorder({
    deliveries,
    log,
    health: createEndpointHealthStore(connection),
    failing: createFailingEndpoints(connection, { now }),
    transaction: (work) => connection.transaction(work),
    retryDelaysMs: settings.retryDelaysMs,
    observer: {
      ...sendingObserver,
      attempted(...attempted) {
        sendingObserver.attempted(...attempted);
        counter.attempted(...attempted);
      },
    },
    logger,
    now,
  });
  const endpoints = createEndpointCache(connection);
  const dispatcher = new Dispatcher({ endpoints, deliveries, sender, recorder, settings, logger, now });
  return { dispatcher, sender, counter };
}
