import { createApp as createHttpApp, type VerifyToken, withPlacesBelow } from '@app/http';
import { type Broker, createRelay, type Relay } from '@app/messaging';
import type { Logger } from '@app/runtime';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { createErasures, type Erasures } from '@app/service/erasure';
import { createRestoreRecords, reportIfLost, restoreSubscription } from '@app/service/restore';
import { createStatistics } from '@app/service/statistics';
import { hashForm, PendingUploads, type Storage, type UrlSigner } from '@app/storage';
import type { Connection } from 'mongoose';
import { accountingRoutes } from './accounting/accounting-routes.ts';
import { agendaRoutes } from './agenda/agenda-routes.ts';
import { clockSettingsRoutes } from './clock-settings/clock-settings-routes.ts';
import { clockRulesBy, createClockSettings } from './clock-settings/clock-settings-store.ts';
import { createCompanyDirectory } from './companies/company-directory.ts';
import { type CompanyProjections, createCompanyProjections } from './companies/company-projection-store.ts';
import { createIdentityClient } from './companies/identity-client.ts';
import { userRoutes } from './companies/user-routes.ts';
import { clientRoutes } from './contractors/client-routes.ts';
import { contractorRoutes } from './contractors/contractor-routes.ts';
import { createContractorStore } from './contractors/contractor-store.ts';
import { costRoutes } from './costs/cost-routes.ts';
import { createCostedTickets } from './costs/costs-store.ts';
import { createTicketRoutes } from './creation/create-ticket-routes.ts';
import { editTicketRoutes } from './creation/edit-ticket-routes.ts';
import { createTicketNumbers } from './creation/ticket-numbers-store.ts';
import { dateRoutes } from './dates/date-routes.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { createDocumentStore } from './documents/document-store.ts';
import { eraseFromTickets } from './erasure/person-store.ts';
import { createExporting, type ExportTimes } from './exports/exporting.ts';
import { importRoutes } from './imports/import-routes.ts';
import { createImportStore } from './imports/import-store.ts';
import { createInvoiceLineProjection } from './invoices/invoice-line-projection.ts';
import { invoiceLineRoutes } from './invoices/invoice-line-routes.ts';
import { createInvoiceLineStore } from './invoices/invoice-line-store.ts';
import { moveRoutes } from './moves/move-routes.ts';
import { createTicketTimers } from './moves/ticket-timers.ts';
import { noteRoutes } from './notes/note-routes.ts';
import { createNoteStore } from './notes/note-store.ts';
import type { Thumbnails } from './pictures/thumbnails.ts';
import { internalPurchaseRoutes } from './purchases/internal-purchase-routes.ts';
import { PurchaseProjection } from './purchases/purchase-projection.ts';
import { createPurchaseProjectionStore } from './purchases/purchase-projection-store.ts';
import { quoteRoutes } from './quotes/quote-routes.ts';
import { createTicketPresenter } from './reading/ticket-presenter.ts';
import { readingRoutes } from './reading/ticket-sheet-routes.ts';
import { photoRoutes } from './referentials/photo-routes.ts';
import { referentialRoutes } from './referentials/referential-routes.ts';
import { createReferentialStore } from './referentials/referential-store.ts';
import { reportRoutes } from './reports/report-routes.ts';
import { ignoringLost, restoreParticipant } from './restore/restore-participant.ts';
import { createRestoreQueries } from './restore/restore-store.ts';
import { snapshotRoutes } from './snapshots/snapshot-routes.ts';
import { createNamesOf } from './statistics/group-names.ts';
import { statisticsRoutes } from './statistics/statistics-routes.ts';
import { ticketStatisticsSource } from './statistics/ticket-statistics-store.ts';
import { subscriptions } from './subscriptions.ts';
import type { PlacesAbove } from './tickets/lifecycle/ticket-notifications.ts';
import { createTicketStore } from './tickets/stores/ticket-store.ts';
import { createTicketSummaryStore } from './tickets/stores/ticket-summary-store.ts';
import { createTicketTimes } from './tickets/stores/ticket-times-store.ts';

export type Deps = {
  connection: Connection;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  storage: Storage;
  links: UrlSigner;
  thumbnails: Pick<Thumbnails, 'of'>;
  logger: Logger;
  verifyToken: VerifyToken;
  identityUrl: string;
  identityTimeoutMs?: number;
  /** The public address of this API. */
  baseUrl: string;
  /** That of the console; null: there is none. */
  consoleUrl?: string | null;
  proposalLifetimeMs: number | null;
  /** Whether only a finished ticket can be closed; by default also one that is under way. */
  strictClose?: boolean;
  timerIntervalMs: number;
  /** The pause between the two passes of an erasure. */
  erasureSettleMs?: number;
  exportTimes?: ExportTimes;
  now?: () => Date;
};

/** Builds the service. The caller creates the indexes, starts relay, timers and subscriptions, and listens. */
export function createApp({ connection, broker, logger, verifyToken, now = () => new Date(), ...rest }: Deps) {
  const relay = createRelay({ broker, logger, now });
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const uploads = new PendingUploads({ connection, storage: rest.storage, logger, now });
  const projections = createCompanyProjections({ connection });
  const identity = createIdentityClient({ baseUrl: rest.identityUrl, timeoutMs: rest.identityTimeoutMs });
  const companies = createCompanyDirectory({ projections, identity });
  const stores = createStores({ connection, relay, logger, now });
  const purchaseProjection = new PurchaseProjection({ ...stores, store: stores.purchases, now });
  const invoiceLineProjection = createInvoiceLineProjection({ ...stores, store: stores.invoices, now });
  const presenter = createTicketPresenter({ ...rest, ...stores, companies, now });
  const deps = {
    ...rest,
    ...stores,
    projections,
    companies,
    presenter,
    purchaseProjection,
    invoiceLineProjection,
    broker,
    logger,
    now,
    uploads,
    numbers: createTicketNumbers({ connection }),
  };
  const erasures = ticketErasures({ connection, broker, logger, now, projections, settleMs: rest.erasureSettleMs });
  const restore = {
    service: 'ticket',
    records: createRestoreRecords(connection),
    broker,
    logger,
    now,
    participant: restoreParticipant({ ...deps, erasures, queries: createRestoreQueries(connection) }),
  };
  const verifyWithPlaces = withPlacesBelow(verifyToken, ({ companyId, placeIds }) =>
    stores.referentials.placesBelow(companyId, placeIds),
  );
  const lists = [readingRoutes, contractorRoutes, referentialRoutes, accountingRoutes].flatMap((of) => of(deps));
  const exporting = createExporting({ ...deps, lists, connection, relay });
  const routes = [
    ...lists,
    ...createTicketRoutes(deps),
    ...editTicketRoutes(deps),
    ...moveRoutes(deps),
    ...noteRoutes(deps),
    ...dateRoutes(deps),
    ...quoteRoutes(deps),
    ...reportRoutes(deps),
    ...documentRoutes(deps),
    ...clientRoutes(deps),
    ...importRoutes({ imports: createImportStore({ ...deps, connection }) }),
    ...photoRoutes(deps),
    ...clockSettingsRoutes(deps),
    ...agendaRoutes(deps),
    ...costRoutes(deps),
    ...userRoutes(deps),
    ...internalPurchaseRoutes(deps),
    ...invoiceLineRoutes(deps),
    ...snapshotRoutes(deps),
    ...statisticsRoutes({ ...deps, namesOf: createNamesOf(deps) }),
    ...exporting.routes,
  ];
  return {
    handler: createHttpApp({ routes, logger, verifyToken: verifyWithPlaces, idempotencyKeys, hashForm }),
    routes,
    relay,
    uploads,
    erasures,
    exports: exporting.worker,
    statistics: stores.statistics,
    timers: createTicketTimers({ ...stores, logger, now, everyMs: rest.timerIntervalMs }),
    /** Starts consuming events. */
    async subscribe(): Promise<void> {
      const consumers = subscriptions({ ...deps, ifNotLost: ignoringLost((lost) => reportIfLost(restore, lost)) });
      consumers.push(erasures.subscription, restoreSubscription(restore), ...exporting.subscriptions);
      for (const consumer of consumers) await broker.subscribe(consumer);
    },
  };
}

function createStores(deps: { connection: Connection; relay: Relay; logger: Logger; now: () => Date }) {
  const clockSettings = createClockSettings(deps);
  const referentials = createReferentialStore({ ...deps, moving: clockSettings.applyAgain });
  const placesAbove: PlacesAbove = async ({ client_id, location_ids }) =>
    (await referentials.withAbove(client_id, location_ids)).flat();
  const notes = createNoteStore({ ...deps, placesAbove });
  const clockRulesOf = clockRulesBy({ clockSettings, referentials });
  return {
    notes,
    clockSettings,
    clockRulesOf,
    tickets: createTicketStore({ ...deps, notes, clockRulesOf, placesAbove }),
    referentials,
    contractors: createContractorStore(deps),
    summaries: createTicketSummaryStore(deps),
    times: createTicketTimes(deps),
    documents: createDocumentStore(deps),
    purchases: createPurchaseProjectionStore(deps),
    invoices: createInvoiceLineStore(deps),
    statistics: createStatistics({ ...deps, source: ticketStatisticsSource(deps.connection) }),
    costedTickets: createCostedTickets(deps),
  };
}

type ErasureDeps = Pick<Deps, 'connection' | 'broker' | 'logger'> & { now: () => Date; settleMs: number | undefined };

function ticketErasures({ projections, ...deps }: ErasureDeps & { projections: CompanyProjections }): Erasures {
  return createErasures({ ...deps, service: 'ticket', erasePage: eraseFromTickets({ ...deps, projections }) });
}
