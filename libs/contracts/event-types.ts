import { auditRecorded } from './audit-events.ts';
import { contractorChanged, contractorLinked } from './contractor-events.ts';
import type { EventType } from './define-event.ts';
import { userCopiesErased, userErased } from './erasure-events.ts';
import { exportPageRead, exportPageRequested } from './export-events.ts';
import { companyChanged, companyCreated, userChanged, userCreated } from './identity-events.ts';
import {
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  invoiceStateChanged,
} from './invoice-events.ts';
import { purchaseChanged, purchaseFileAttached } from './purchase-events.ts';
import { restoreExistenceAsked, restoreLossFound, restoreTaskRequested } from './restore-events.ts';
import { snapshotsRequested } from './snapshot-events.ts';
import { locationChanged, ticketAssigned, ticketChanged } from './ticket-snapshot-events.ts';
import { webhookEventTypes } from './webhook-event-types.ts';

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
