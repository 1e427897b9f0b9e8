import { createApp as createHttpApp, type Route, type VerifyToken } from '@app/http';
import { type Broker, createRelay, type Relay } from '@app/messaging';
import type { Logger } from '@app/runtime';
import { createPendingUploads, type PendingUploads, type Storage } from '@app/storage';
import type { Connection } from 'mongoose';
import { createAccountStore } from './assignments/account-store.ts';
import { createAssignmentStore } from './assignments/assignment-store.ts';
import { attachmentRoute } from './purchases/attachment-routes.ts';
import { changeRoutes } from './purchases/change-purchase-routes.ts';
import { purchaseCreator } from './purchases/create-purchase.ts';
import { createPurchaseRoute } from './purchases/create-purchase-route.ts';
import { mapOutages } from './purchases/map-outages.ts';
import { createPurchaseStore } from './purchases/purchase-store.ts';
import { createSupplierAssignment, type SupplierAssignment } from './purchases/supplier-assignment.ts';
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

export type App = {
  handler: ReturnType<typeof createHttpApp>;
  routes: Route[];
  relay: Relay;
  uploads: PendingUploads;
  supplierAssignment: SupplierAssignment;
  /** Starts listening to events. */
  subscribe(): Promise<void>;
};

/** Of two assignments of a ticket the first gives its supplier to the documents that wait, so they are not handled at once. */
const inOrder = ['assignments'];

/** The service on its real parts; the caller makes the indexes, starts relay, sweeps and subscriptions, and listens. */
export function createApp({ connection, broker, storage, logger, ...rest }: Deps): App {
  const { verifyToken, ticketUrl, ticketTimeouts: ticketTimes, now = () => new Date() } = rest;
  const relay = createRelay({ broker, logger });
  const purchases = createPurchaseStore({ connection, relay });
  const assignments = createAssignmentStore({ connection });
  const accounts = createAccountStore({ connection });
  const addressing = createSupplierAssignment({ purchases, assignments, accounts, now, logger });
  const uploads = createPendingUploads({ connection, storage, logger });
  const tickets = createTicketClient({ baseUrl: ticketUrl, ...ticketTimes });
  const deps = { purchases, assignments, addressing, uploads, tickets, broker, now };
  const routes = purchaseRoutes(deps);
  return {
    handler: createHttpApp({ service: 'purchase', routes, logger, verifyToken }),
    routes,
    relay,
    uploads,
    supplierAssignment: addressing,
    async subscribe() {
      for (const [queue, table] of Object.entries(subscriptions(deps))) {
        await broker.subscribe({ queue, table, ...(inOrder.includes(queue) ? { prefetch: 1 } : {}) });
      }
    },
  };
}

type RouteDeps = Parameters<typeof changeRoutes>[0] &
  Parameters<typeof attachmentRoute>[0] &
  Omit<Parameters<typeof createPurchaseRoute>[0], 'issue'> &
  Parameters<typeof purchaseCreator>[0];

/** Everything that the service answers. */
export function purchaseRoutes(deps: RouteDeps): Route[] {
  const issue = purchaseCreator(deps);
  return mapOutages([createPurchaseRoute({ ...deps, issue }), ...changeRoutes(deps), attachmentRoute(deps)]);
}
