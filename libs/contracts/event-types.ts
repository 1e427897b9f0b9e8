import { contractorLinked } from './contractor-events.ts';
import type { EventType } from './define-event.ts';
import { companyCreated, userCreated } from './identity-events.ts';
import { webhookEventTypes } from './ticket-events.ts';

/** Every domain event type by its name: what AsyncAPI, the fixtures test and the replay command go by. */
export const eventTypes: ReadonlyMap<string, EventType<never>> = new Map(
  [companyCreated, userCreated, contractorLinked, ...webhookEventTypes].map((eventType) => [
    eventType.type,
    eventType as unknown as EventType<never>,
  ]),
);
