import { createApp as createHttpApp, type Route, type VerifyToken } from '@app/http';
import { type Broker, createRelay } from '@app/messaging';
import type { Logger } from '@app/runtime';
import { createIdempotencyKeys } from '@app/runtime/idempotency';
import { exportSubscription } from '@app/service/export';
import { createRestoreRecords, restoreSubscription } from '@app/service/restore';
import { hashForm, PendingUploads, type Storage } from '@app/storage';
import type { Connection } from 'mongoose';
import { createAccountStore } from './assignments/account-store.ts';
import { createAssignmentStore } from './assignments/assignment-store.ts';
import { exportSources } from './exports/export-sources.ts';
import { attachmentRoutes } from './purchases/attachment-routes.ts';
import { changePurchaseRoutes } from './purchases/change-purchase-routes.ts';
import { purchaseCreator } from './purchases/create-purchase.ts';
import { createPurchaseRoutes } from './purchases/create-purchase-routes.ts';
import { mapOutages } from './purchases/map-outages.ts';
import { createPurchaseStore } from './purchases/purchase-store.ts';
import { SupplierAssignment } from './purchases/supplier-assignment.ts';
import { restoreParticipant } from './restore/restore-participant.ts';
import { subscriptions } from './subscriptions.ts';
import { createTicketClient, type TicketTimeouts } from './tickets/ticket-client.ts';

export type Deps = {
  connection: Connection;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  storage: Storage;
  logger: Logger;
  verifyToken: VerifyToken;
  /** Where the ticket service listens. */
  ticketUrl: string;
  ticketTimeouts?: TicketTimeouts;
  now?: () => Date;
};

/** Queues whose events are handled one by one: waiting documents take the first of two assignments of a ticket. */
const orderedQueues = ['assignments'];

/** Builds the service. The caller creates the indexes, starts relay, sweeps and subscriptions, and listens. */
export function createApp({ connection, broker, storage, logger, ...rest }: Deps) {
  const { verifyToken, ticketUrl, ticketTimeouts: ticketTimes, now = () => new Date() } = rest;
  const relay = createRelay({ broker, logger, now });
  const idempotencyKeys = createIdempotencyKeys({ connection, logger });
  const purchases = createPurchaseStore({ connection, relay });
  const assignments = createAssignmentStore({ connection });
  const accounts = createAccountStore({ connection });
  const supplierAssignment = new SupplierAssignment({ purchases, assignments, accounts, now, logger });
  const uploads = new PendingUploads({ connection, storage, logger, now });
  const tickets = createTicketClient({ baseUrl: ticketUrl, ...ticketTimes });
  const deps = { purchases, assignments, supplierAssignment, uploads, tickets, broker, now };
  const routes = purchaseRoutes(deps);
  const restore = {
    service: 'purchase',
    records: createRestoreRecords(connection),
    broker,
    logger,
    now,
    participant: restoreParticipant(deps),
  };
  return {
    handler: createHttpApp({ routes, logger, verifyToken, idempotencyKeys, hashForm }),
    routes,
    relay,
    uploads,
    supplierAssignment,
    /** Starts consuming events. */
    async subscribe() {
      for (const [queue, table] of Object.entries(subscriptions(deps))) {
        await broker.subscribe({ queue, table, ...(orderedQueues.includes(queue) ? { prefetch: 1 } : {}) });
      }
      await broker.subscribe(restoreSubscription(restore));
      await broker.subscribe(exportSubscription({ service: 'purchase', sources: exportSources(deps), broker, now }));
    },
  };
}

type RouteDeps = Parameters<typeof changePurchaseRoutes>[0] &
  Parameters<typeof attachmentRoutes>[0] &
  Omit<Parameters<typeof createPurchaseRoutes>[0], 'createPurchase'> &
  Parameters<typeof purchaseCreator>[0];

/** All routes of the service. */
export function purchaseRoutes(deps: RouteDeps): Route[] {
  const createPurchase = purchaseCreator(deps);
  return mapOutages([
    ...createPurchaseRoutes({ ...deps, createPurchase }),
    ...changePurchaseRoutes(deps),
    ...attachmentRoutes(deps),
  ]);
}
