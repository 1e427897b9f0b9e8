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
} from './events/invoice-events.ts';
import { purchaseChanged, purchaseFileAttached } from './events/purchase-events.ts';
import { restoreExistenceAsked, restoreLossFound, restoreTaskRequested } from './events/restore-events.ts';
import { snapshotsRequested } from './events/snapshot-events.ts';
import { locationChanged, ticketAssigned, ticketChanged } from './events/ticket-snapshot-events.ts';
import { webhookEventTypes } from './webhooks/webhook-event-types.ts';

/** Every event type by its name, for the AsyncAPI document, the fixtures test and the replay command. */
export const eventTypes: ReadonlyMap<string, EventType<never>> = new Map(
  [
    companyCreated,
    companyChanged,
    userCreated,
    userChanged,
    userErased,
    userCopiesErased,
    auditRecorded,
    contractorLinked,
    contractorChanged,
    locationChanged,
    ticketChanged,
    ticketAssigned,
    purchaseChanged,
    purchaseFileAttached,
    invoiceFetched,
    invoiceGone,
    invoiceFeedbackRequested,
    invoiceFeedbackSettled,
    invoiceStateChanged,
    invoiceLineChanged,
    snapshotsRequested,
    restoreTaskRequested,
    restoreExistenceAsked,
    restoreLossFound,
    exportPageRequested,
    exportPageRead,
    ...webhookEventTypes,
  ].map((eventType) => [eventType.type, eventType as unknown as EventType<never>]),
);
