import { auditRecorded } from './events/audit-events.ts';
import { contractorChanged, contractorLinked } from './events/contractor-events.ts';
import { userCopiesErased, userErased } from './events/erasure-events.ts';
import { exportPageRead, exportPageRequested } from './events/export-events.ts';
import { companyChanged, companyCreated, userChanged, userCreated } from './events/identity-events.ts';
import {
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  invoiceStatusReceived,
} from './events/invoice-events.ts';
import { notificationRaised, notificationReadersChanged } from './events/notification-events.ts';
import { purchaseChanged, purchaseFileAttached } from './events/purchase-events.ts';
import { restoreExistenceAsked, restoreLossFound, restoreTaskRequested } from './events/restore-events.ts';
import { snapshotsRequested } from './events/snapshot-events.ts';
import { locationChanged, ticketAssigned, ticketChanged } from './events/ticket-snapshot-events.ts';
import { webhookEventTypes } from './webhooks/webhook-catalogue.ts';

/** Queues by service and purpose, with the event types that each receives. */
export type QueueTable = Record<string, Record<string, readonly { readonly type: string }[]>>;

/** Events after a restore of any service's database. */
const restores = [restoreTaskRequested, restoreExistenceAsked, restoreLossFound];
/** Requests for pages of the export of a company. */
const exports = [exportPageRequested];

/**
 * Every queue of the platform. `npm run ops -- migrate` makes all of them, and so does each service whose user may, so that events wait for a
 * consumer that has never run. A test compares them with the subscriptions of the services.
 */
export const platformQueues = {
  identity: {
    'snapshot-requests': [snapshotsRequested],
    erasures: [userErased, userCopiesErased],
    audit: [auditRecorded],
    notifications: [notificationRaised, notificationReadersChanged],
    restores,
    exports,
  },
  ticket: {
    companies: [companyCreated, companyChanged, userCreated, userChanged],
    'contractor-links': [contractorLinked],
    purchases: [purchaseChanged, purchaseFileAttached],
    'invoice-lines': [invoiceLineChanged],
    'location-names': [locationChanged],
    erasures: [userErased],
    'snapshot-requests': [snapshotsRequested],
    restores,
    exports,
    'export-pages': [exportPageRead],
  },
  purchase: {
    assignments: [ticketAssigned],
    'contractor-links': [contractorLinked],
    'snapshot-requests': [snapshotsRequested],
    restores,
    exports,
  },
  'webhook-dispatcher': {
    events: webhookEventTypes,
    erasures: [userErased],
    closures: [companyChanged],
    restores,
    exports,
  },
  connection: {
    clients: [companyCreated],
    closures: [companyChanged],
    feedback: [invoiceFeedbackRequested],
    restores,
    exports,
  },
  'invoice-reconciliation': {
    invoices: [invoiceFetched, invoiceGone, invoiceStatusReceived],
    feedback: [invoiceFeedbackSettled],
    tickets: [ticketChanged],
    purchases: [purchaseChanged],
    projections: [contractorChanged, locationChanged, invoiceLineChanged, companyCreated, companyChanged],
    restores,
    exports,
  },
} as const satisfies QueueTable;
