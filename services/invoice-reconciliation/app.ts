import { createApp as createHttpApp, type VerifyToken, withPlacesBelow } from '@app/http';
import type { MatchSettings } from '@app/matching';
import { type Broker, createRelay } from '@app/messaging';
import type { InvoiceReader } from '@app/providers';
import type { Logger } from '@app/runtime';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { exportSubscription } from '@app/service/export';
import { createRestoreRecords, restoreSubscription } from '@app/service/restore';
import { createStatistics } from '@app/service/statistics';
import type { Storage, UrlSigner } from '@app/storage';
import type { Connection } from 'mongoose';
import { Candidates } from './comparison/candidates.ts';
import { createReadDetails } from './comparison/invoice-details.ts';
import { createRelatedInvoices } from './comparison/related-store.ts';
import { exportSources } from './exports/export-sources.ts';
import { createInvoicePages } from './exports/invoice-page-store.ts';
import { createFindAddress } from './feedback/supplier-address.ts';
import { BackgroundWorker } from './intake/background-worker.ts';
import { createDueInvoiceStore } from './intake/due-invoice-store.ts';
import { Ingest } from './intake/ingest.ts';
import { createPayloadReader } from './intake/payload-reader.ts';
import { type PayloadProvider, Pipeline } from './intake/pipeline.ts';
import { createWaitingStore } from './intake/waiting-store.ts';
import { createInvoiceStore } from './invoices/invoice-store.ts';
import { createTombstoneStore } from './invoices/tombstone-store.ts';
import { createReceivedStatuses } from './lifecycle/received-status-store.ts';
import { MatchQueries } from './matching/match-query-store.ts';
import { Matcher } from './matching/matcher.ts';
import { createRematchMarkStore } from './matching/rematch-mark-store.ts';
import { RematchQueue } from './matching/rematch-queue.ts';
import { createReferencePatternStore } from './matching/supplier-reference-pattern-store.ts';
import { invoiceObserver, measureWaiting } from './metrics.ts';
import { createDirectoryStore } from './projections/directory-store.ts';
import { createPurchaseProjectionStore } from './projections/purchase-projection-store.ts';
import { requestSnapshots, ticketSnapshotKinds } from './projections/request-snapshots.ts';
import { createSnapshotRequester } from './projections/snapshot-requester.ts';
import { TicketProjectionStore } from './projections/ticket-projection-store.ts';
import { createTicketSearch } from './projections/ticket-search-store.ts';
import { restoreParticipant } from './restore/restore-participant.ts';
import { createRestoreQueries } from './restore/restore-store.ts';
import { createConnectionClient } from './review/connection-client.ts';
import { createInvoiceLists } from './review/invoice-list-store.ts';
import { invoiceRoutes } from './review/invoice-routes.ts';
import { invoiceListRoutes } from './review/list-routes.ts';
import { OperatorActions } from './review/operator-actions.ts';
import { operatorRoutes } from './review/operator-routes.ts';
import { createFlagReplaced } from './review/replaced-flag-store.ts';
import { createTicketClient, type TicketTimeouts } from './review/ticket-client.ts';
import { createVisibleInvoices } from './review/visible-invoices.ts';
import { invoiceStatisticsSource } from './statistics/invoice-statistics-store.ts';
import { statisticsRoutes } from './statistics/statistics-routes.ts';
import { subscriptions } from './subscriptions.ts';

export type Deps = {
  connection: Connection;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  storage: Pick<Storage, 'get' | 'stat' | 'remove'>;
  links: UrlSigner;
  logger: Logger;
  verifyToken: VerifyToken;
  providerOf: (key: string) => PayloadProvider | null;
  reader: InvoiceReader;
  ticketUrl: string;
  connectionUrl: string;
  settings: {
    matching: Partial<MatchSettings>;
    rematchDelayMs: number;
    retryDelaysMs: readonly number[];
    pollEveryMs: number;
    concurrency: number;
  };
  ticketTimeouts?: TicketTimeouts;
  now?: () => Date;
};

/** Wires the service. The caller creates the indexes, starts relay, worker and subscriptions, and listens. */
export function createApp(deps: Deps) {
  const { connection, broker, logger, verifyToken, settings } = deps;
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const { relay, worker, statistics, listensTo, routes, restored, client } = createParts(deps);
  const verifyWithPlaces = withPlacesBelow(verifyToken, (_, token) => client.places(token));
  return {
    handler: createHttpApp({ routes, logger, verifyToken: verifyWithPlaces, idempotencyKeys }),
    routes,
    relay,
    worker,
    statistics,
    /** Starts to consume events. */
    async subscribe(): Promise<void> {
      const prefetch = settings.concurrency;
      for (const [queue, table] of Object.entries(listensTo)) await broker.subscribe({ queue, table, prefetch });
      const records = createRestoreRecords(connection);
      const restore = { service: 'invoice-reconciliation', participant: restored, records, broker, logger };
      await broker.subscribe(restoreSubscription(restore));
      const sources = exportSources({ invoicePages: createInvoicePages(connection) });
      await broker.subscribe(exportSubscription({ service: 'invoice-reconciliation', sources, routes, broker }));
    },
  };
}

function createParts({ connection, broker, storage, logger, settings, ...rest }: Deps) {
  const { links, providerOf, reader, ticketUrl, connectionUrl, now = () => new Date() } = rest;
  const relay = createRelay({ broker, logger, now });
  const common = { ...settings, providerOf, reader, logger, now };
  const { tickets, purchases } = createTicketProjections({ connection, broker, logger });
  const directory = createDirectoryStore({ connection });
  const placesOf = async (clientId: string, ticketId: string) =>
    directory.withAbove(clientId, (await tickets.find(clientId, ticketId))?.ticket.location_ids ?? []);
  const store = createInvoiceStore({ connection, relay, observer: invoiceObserver, placesOf });
  const payloads = createPayloadReader({ storage, logger });
  const patterns = createReferencePatternStore({ connection });
  const queries = new MatchQueries({ connection });
  const heardBy = (provider: string) => providerOf(provider)?.capabilities.statuses ?? {};
  const matcher = new Matcher({ ...common, tickets, directory, queries, patterns, heardBy });
  const pipeline = new Pipeline({ ...common, payloads, tickets, queries, matcher });
  const rematches = new RematchQueue({
    ...common,
    tickets,
    queries,
    store,
    marks: createRematchMarkStore({ connection }),
  });
  const statuses = createReceivedStatuses({ connection, store, logger, now });
  const due = createDueInvoiceStore({ connection });
  const ingest = new Ingest({ ...common, store, tombstones: createTombstoneStore({ connection }), pipeline, payloads });
  const client = createTicketClient({ baseUrl: ticketUrl, ...rest.ticketTimeouts });
  const capabilitiesOf = (provider: string) => providerOf(provider)?.capabilities ?? nothing;
  const connections = createConnectionClient({ baseUrl: connectionUrl });
  const findAddress = createFindAddress({ connections, heardBy });
  const related = { store, matcher, patterns, tickets, client, findAddress };
  const actions = new OperatorActions({ ...common, capabilitiesOf, ...related });
  measureWaiting({ waiting: createWaitingStore({ connection }), now });
  const flagReplaced = createFlagReplaced({ connection });
  const search = createTicketSearch({ connection });
  const candidates = new Candidates({ tickets, search, directory, queries, matcher });
  const relatedInvoices = createRelatedInvoices({ connection });
  const readDetails = createReadDetails({ candidates, relatedInvoices, tickets, queries, heardBy });
  const lists = createInvoiceLists({ connection, tickets: search });
  const onInvoices = { store, visible: createVisibleInvoices({ tickets, invoices: lists }) };
  const read = { flagReplaced, readDetails, findAddress, heardBy };
  const statistics = createStatistics({ connection, source: invoiceStatisticsSource(connection), logger });
  return {
    relay,
    statistics,
    client,
    worker: new BackgroundWorker({
      ...common,
      everyMs: settings.pollEveryMs,
      store,
      due,
      pipeline,
      rematches,
      statuses,
    }),
    listensTo: subscriptions({ ingest, store, tickets, purchases, directory, rematches, statuses, now }),
    restored: restoreParticipant({
      queries: createRestoreQueries(connection),
      store,
      tickets,
      purchases,
      directory,
      rematches,
      now,
    }),
    routes: [
      ...invoiceListRoutes({ ...onInvoices, lists, flagReplaced, tickets, client, statistics }),
      ...invoiceRoutes({ ...onInvoices, candidates, links, ...read }),
      ...operatorRoutes({ ...onInvoices, actions, connections }),
      ...statisticsRoutes({ statistics, directory, now }),
    ],
  };
}

/** Of a provider that is known no more. */
const nothing: PayloadProvider['capabilities'] = { statuses: {}, reversal: false };

function createTicketProjections({ connection, broker, logger }: Pick<Deps, 'connection' | 'broker' | 'logger'>) {
  const onError = (error: unknown) => logger.warn('snapshots could not be requested', { error });
  const request = async () => {
    const requestId = await requestSnapshots(broker, ticketSnapshotKinds);
    logger.warn('a ticket projection cannot be read: snapshots requested', { requestId, kinds: ticketSnapshotKinds });
  };
  const requestOnce = createSnapshotRequester({ request, onError });
  const tickets = new TicketProjectionStore({
    connection,
    requestSnapshots: requestOnce,
    onUnreadable: () => void requestOnce().catch(onError),
  });
  return { tickets, purchases: createPurchaseProjectionStore({ connection, tickets }) };
}
