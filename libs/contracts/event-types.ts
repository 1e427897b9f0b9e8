import { contractorChanged, contractorLinked } from './contractor-events.ts';
import type { EventType } from './define-event.ts';
import { factsRequested } from './facts-events.ts';
import { companyCreated, userCreated } from './identity-events.ts';
import {
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  invoiceFetched,
  invoiceGone,
  invoiceLineChanged,
  invoiceMoved,
} from './invoice-events.ts';
import { purchaseChanged, purchaseFileAttached } from './purchase-events.ts';
import { locationChanged, ticketAssigned, ticketChanged } from './ticket-facts-events.ts';
import { webhookEventTypes } from './webhook-event-types.ts';

/** Every domain event type by its name: what AsyncAPI, the fixtures test and the replay command go by. */
export const eventTypes: ReadonlyMap<string, EventType<never>> = new Map(
  [
    companyCreated,
    userCreated,
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
    invoiceMoved,
    invoiceLineChanged,
    factsRequested,
    ...webhookEventTypes,
  ].map((eventType) => [eventType.type, eventType as unknown as EventType<never>]),
);
