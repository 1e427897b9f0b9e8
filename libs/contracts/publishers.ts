import type { EventType } from './define-event.ts';
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
  invoiceStateChanged,
  invoiceStatusReceived,
} from './events/invoice-events.ts';
import { notificationRaised, notificationReadersChanged } from './events/notification-events.ts';
import { purchaseChanged, purchaseFileAttached, ticketPurchaseAdded } from './events/purchase-events.ts';
import { restoreExistenceAsked, restoreLossFound, restoreTaskRequested } from './events/restore-events.ts';
import { snapshotsRequested } from './events/snapshot-events.ts';
import { locationChanged, ticketAssigned, ticketChanged } from './events/ticket-snapshot-events.ts';
import { webhookEventTypes } from './webhooks/webhook-catalogue.ts';

/** Every service answers for a restored database, and gives its part of an export. */
const ofAll = [restoreTaskRequested, restoreExistenceAsked, restoreLossFound, exportPageRead];

/** The event types that each service publishes: the only routing keys that its user of RabbitMQ may write. */
export const platformPublishers: Record<string, readonly { readonly type: string }[]> = {
  identity: [...ofAll, companyCreated, companyChanged, userCreated, userChanged, userErased, snapshotsRequested],
  ticket: [
    ...ofAll,
    contractorLinked,
    contractorChanged,
    locationChanged,
    ticketChanged,
    ticketAssigned,
    exportPageRequested,
    userCopiesErased,
    auditRecorded,
    notificationRaised,
    notificationReadersChanged,
    snapshotsRequested,
    ...webhookEventTypes.filter((eventType) => eventType !== ticketPurchaseAdded),
  ],
  purchase: [...ofAll, ticketPurchaseAdded, purchaseChanged, purchaseFileAttached, snapshotsRequested],
  'webhook-dispatcher': [...ofAll, userCopiesErased, auditRecorded, notificationRaised, snapshotsRequested],
  connection: [...ofAll, invoiceFetched, invoiceGone, invoiceStatusReceived, invoiceFeedbackSettled, auditRecorded],
  'invoice-reconciliation': [
    ...ofAll,
    invoiceFeedbackRequested,
    invoiceStateChanged,
    invoiceLineChanged,
    auditRecorded,
    notificationRaised,
    snapshotsRequested,
  ],
};

export function publishedBy(service: string): Set<string> {
  return new Set(platformPublishers[service]?.map(({ type }) => type));
}

/** Every event type by its name, for the AsyncAPI document, the fixtures test and the replay command. */
export const eventTypes: ReadonlyMap<string, EventType<never>> = new Map(
  Object.values(platformPublishers)
    .flat()
    .map((eventType) => [eventType.type, eventType as unknown as EventType<never>]),
);
