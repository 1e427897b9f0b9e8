import {
  type DomainEvent,
  type EventType,
  publicName,
  userCreated,
  type WebhookEventData,
  webhookEventTypes,
} from '@app/contracts';
import { type MessageInfo, on, type Subscription } from '@app/messaging';
import { createBatcher } from '@app/runtime';

import type { ContactStore } from './contact-store.ts';
import { type Delivery, deliveryBody, deliveryId, type Origin } from './delivery.ts';
import type { Sender } from './dispatch.ts';
import type { Asked, EndpointStore, Target } from './endpoint-store.ts';

type Deps = { endpoints: EndpointStore; sender: Sender; now: () => Date };
type Heard = DomainEvent<WebhookEventData<string, unknown>>;

/** Events whose endpoints are looked up together. */
const lookedUp = 200;

/**
 * Every event that companies may hear of, to every endpoint of its audience that subscribed to its type. Who subscribed is
 * read after the event has come, never remembered: an endpoint that was registered before it is always among them.
 */
export function subscriptions({ endpoints, sender, now }: Deps): Subscription[] {
  const lookups = createBatcher({ maxBatch: lookedUp, run: (asked: Asked[]) => endpoints.listening(asked) });

  async function fanOut(event: Heard, _session: unknown, message?: MessageInfo): Promise<void> {
    const { audience, payload } = event.data;
    const name = publicName(event.type);
    const targets = await lookups.add({ companyIds: audience, event: name });
    if (targets.length === 0) return;
    const body = deliveryBody(name, event.time, payload);
    const createdAt = now();
    await sender.accept(
      targets.map((target) => ({ target, delivery: newDelivery({ event, name, body, createdAt }, target) })),
      message?.redelivered,
    );
  }
  return webhookEventTypes.map((eventType) => on(eventType as unknown as EventType<Heard['data']>, fanOut));
}

/** Whom to tell where a company's endpoint is in trouble. */
export function contactSubscriptions(contacts: Pick<ContactStore, 'keep'>): Subscription[] {
  return [on(userCreated, ({ data }) => contacts.keep(data.user))];
}

function originOf({ id, time, requestid, traceparent }: Heard): Origin {
  return {
    ...{ eventId: id, eventTime: new Date(time) },
    ...(requestid === undefined ? {} : { requestId: requestid }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

type Facts = { event: Heard; name: string; body: string; createdAt: Date };

/** While an endpoint is inactive, what happens stays in its log as canceled, for `recover` (design section 11). */
function newDelivery({ event, name, body, createdAt }: Facts, target: Target): Delivery {
  return {
    id: deliveryId(event, target.id),
    endpointId: target.id,
    event: name,
    origin: originOf(event),
    body,
    status: target.active ? 'pending' : 'canceled',
    tries: 0,
    attempts: [],
    createdAt,
    nextAttemptAt: target.active ? createdAt : null,
    ...(target.enablings === undefined ? {} : { enabling: target.enablings }),
  };
}
