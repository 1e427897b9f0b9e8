import { createApp as createHttpApp, type Route, type VerifyToken } from '@app/http';
import { type Broker, createInbox, createRelay, type Relay } from '@app/messaging';
import type { Logger } from '@app/runtime';
import { createPendingUploads, type PendingUploads, type Storage, type UrlSigner } from '@app/storage';
import type { Connection } from 'mongoose';
import { createCompanies } from './companies/companies-client.ts';
import { createCompanyCopies } from './companies/company-copies-store.ts';
import { createIdentityClient } from './companies/identity-client.ts';
import { userRoutes } from './companies/user-routes.ts';
import { contractorRoutes } from './contractors/contractor-routes.ts';
import { createContractors } from './contractors/contractor-store.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { createDocumentStore } from './documents/document-store.ts';
import { factRoutes } from './facts/fact-routes.ts';
import { invoiceLineRoutes } from './invoices/invoice-line-routes.ts';
import { createInvoiceLines } from './invoices/invoice-line-store.ts';
import { createLineKeeper } from './invoices/keep-line.ts';
import { noteRoutes } from './notes/note-routes.ts';
import { createNoteStore } from './notes/note-store.ts';
import { createPurchaseKeeper } from './purchases/keep-purchase.ts';
import { createPurchaseCopies } from './purchases/purchase-copies-store.ts';
import { purchaseRoutes } from './purchases/purchase-routes.ts';
import { referentialRoutes } from './referentials/referential-routes.ts';
import { createReferentials } from './referentials/referential-store.ts';
import { subscriptions } from './subscriptions.ts';
import { creationRoute } from './tickets/creation-routes.ts';
import { dateRoutes } from './tickets/date-routes.ts';
import { moveRoutes } from './tickets/move-routes.ts';
import { quoteRoutes } from './tickets/quote-routes.ts';
import { createTicketViews } from './tickets/related-store.ts';
import { reportRoutes } from './tickets/report-routes.ts';
import { createTicketGlances } from './tickets/ticket-glance-store.ts';
import { createTicketNumbers } from './tickets/ticket-numbers-store.ts';
import { ticketRoutes } from './tickets/ticket-routes.ts';
import { createTicketStore } from './tickets/ticket-store.ts';
import { createTicketTimes } from './tickets/ticket-times-store.ts';
import { createTimers, type Timers } from './tickets/timers-store.ts';

export type Deps = {
  connection: Connection;
  broker: Pick<Broker, 'publish' | 'subscribe'>;
  storage: Storage;
  links: UrlSigner;
  logger: Logger;
  verifyToken: VerifyToken;
  identityUrl: string;
  /** `{base_url}` as users see it. */
  baseUrl: string;
  proposalLifetimeMs: number | null;
  /** Whether only a finished ticket can be closed; by default any that is under way. */
  strictClose?: boolean;
  timerIntervalMs: number;
  now?: () => Date;
};

export type App = {
  handler: ReturnType<typeof createHttpApp>;
  routes: Route[];
  relay: Relay;
  timers: Timers;
  uploads: PendingUploads;
  /** Starts listening to events. */
  subscribe(): Promise<void>;
};

/** The service on its real parts; the caller makes the indexes, starts relay, timers and subscriptions, and listens. */
export function createApp({ connection, broker, logger, verifyToken, now = () => new Date(), ...rest }: Deps): App {
  const relay = createRelay({ broker, logger });
  const inbox = createInbox(connection);
  const copies = createCompanyCopies({ connection });
  const companies = createCompanies({ copies, identity: createIdentityClient({ baseUrl: rest.identityUrl }) });
  const referentials = createReferentials({ connection, relay, now });
  const contractors = createContractors({ connection, relay, now });
  const notes = createNoteStore({ connection, relay, now });
  const tickets = createTicketStore({ connection, relay, notes, now });
  const glances = createTicketGlances({ connection });
  const times = createTicketTimes({ connection, now });
  const documents = createDocumentStore({ connection, relay, now });
  const uploads = createPendingUploads({ connection, storage: rest.storage, logger });
  const purchaseCopies = createPurchaseCopies({ connection });
  const purchases = createPurchaseKeeper({ copies: purchaseCopies, documents, glances, times, now });
  const invoiceLines = createInvoiceLines({ connection, relay });
  const lines = createLineKeeper({ lines: invoiceLines, glances, times, now });
  const { links, baseUrl } = rest;
  const views = createTicketViews({
    ...{ contractors, companies, referentials, links, baseUrl },
    purchases: purchaseCopies,
    invoices: invoiceLines,
  });
  const deps = {
    ...rest,
    ...{ copies, companies, referentials, contractors, notes, tickets, glances, documents, purchases, views },
    ...{ lines, broker, inbox, logger, now, uploads },
    numbers: createTicketNumbers({ connection }),
  };
  const routes = [
    ...ticketRoutes(deps),
    creationRoute(deps),
    ...moveRoutes(deps),
    ...noteRoutes(deps),
    ...dateRoutes(deps),
    ...quoteRoutes(deps),
    ...reportRoutes(deps),
    ...documentRoutes(deps),
    ...contractorRoutes(deps),
    ...referentialRoutes(deps),
    ...userRoutes(deps),
    ...purchaseRoutes(deps),
    ...invoiceLineRoutes(deps),
    ...factRoutes(deps),
  ];
  return {
    handler: createHttpApp({ service: 'ticket', routes, logger, verifyToken }),
    routes,
    relay,
    uploads,
    timers: createTimers({ tickets, logger, now, everyMs: rest.timerIntervalMs }),
    async subscribe() {
      for (const consumer of subscriptions(deps)) await broker.subscribe(consumer);
    },
  };
}
