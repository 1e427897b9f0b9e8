import { contractorChanged, contractorLinked } from './contractor-events.ts';
import { companyCreated, userCreated } from './identity-events.ts';
import {
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
} from './invoice-events.ts';
import { purchaseChanged, purchaseFileAttached } from './purchase-events.ts';
import { snapshotsRequested } from './snapshot-events.ts';
import { locationChanged, ticketAssigned, ticketChanged } from './ticket-snapshot-events.ts';
import { webhookEventTypes } from './webhook-event-types.ts';

/** Queues by service and purpose, with the event types that each receives. */
export type QueueTable = Record<string, Record<string, readonly { readonly type: string }[]>>;

/**
 * Every queue of the platform. Each service creates all of them when it connects, so that events wait for a consumer that has never
 * run. A test compares them with the subscriptions of the services.
 */
export const platformQueues = {
  identity: { facts: [snapshotsRequested] },
  ticket: {
    'company-copies': [companyCreated, userCreated],
    'contractor-links': [contractorLinked],
    purchases: [purchaseChanged, purchaseFileAttached],
    'invoice-lines': [invoiceLineChanged],
    'location-names': [locationChanged],
    facts: [snapshotsRequested],
  },
  purchase: {
    assignments: [ticketAssigned],
    'contractor-links': [contractorLinked],
    'facts-requests': [snapshotsRequested],
  },
  'webhook-dispatcher': { events: webhookEventTypes, contacts: [userCreated] },
  connection: { clients: [companyCreated], feedback: [invoiceFeedbackRequested] },
  'invoice-reconciliation': {
    invoices: [invoiceFetched, invoiceGone],
    feedback: [invoiceFeedbackSettled],
    tickets: [ticketChanged],
    purchases: [purchaseChanged],
    copies: [contractorChanged, locationChanged, companyCreated],
  },
} as const satisfies QueueTable;
