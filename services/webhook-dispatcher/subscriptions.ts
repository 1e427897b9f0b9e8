import {
  type CompanyState,
  companyChanged,
  type DomainEvent,
  type EventType,
  publicName,
  type WebhookEventData,
  webhookEventTypes,
} from '@app/contracts';
import { type MessageInfo, on, type Subscription } from '@app/messaging';
import type { Erasures } from '@app/service/erasure';
import { type Delivery, deliveryBody, deliveryId, type Origin, type TicketRef } from './deliveries/delivery.ts';
import type { CompanyClosureStore } from './endpoints/company-closure-store.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import type { SubscriberCache } from './endpoints/subscriber-cache.ts';
import { authorIn, isForManagers, withoutName } from './erasure/message-author.ts';
import type { Dispatcher } from './sending/dispatcher.ts';

type Deps = {
  subscribers: SubscriberCache;
  dispatcher: Dispatcher;
  erasures: Pick<Erasures, 'erasedAmong'>;
  now: () => Date;
};
type WebhookEvent = DomainEvent<WebhookEventData<string, unknown>>;

/** Every event that companies may receive goes to each endpoint of its audience that subscribes to its type. */
export function subscriptions({ subscribers, dispatcher, erasures, now }: Deps): Subscription[] {
  async function fanOut(event: WebhookEvent, message?: MessageInfo): Promise<void> {
    const { audience } = event.data;
    const name = publicName(event.type);
    const subscribed = await subscribers.find(audience, name);
    const endpoints = isForManagers(event.data.payload)
      ? subscribed.filter(({ endpoint }) => endpoint.managerNotes)
      : subscribed;
    if (endpoints.length === 0) return;
    const body = deliveryBody(name, event.time, await withoutErasedName(erasures, event.data.payload));
    const createdAt = now();
    const entries = endpoints.map((cached) => {
      return { ...cached, delivery: newDelivery({ event, name, body, createdAt }, cached.endpoint) };
    });
    await dispatcher.enqueue(entries, message?.redelivered);
  }
  return webhookEventTypes.map((eventType) => on(eventType as unknown as EventType<WebhookEvent['data']>, fanOut));
}

/**
 * An event of a message that was written before the erasure of its author may arrive after it, and must not bring the
 * name back.
 */
async function withoutErasedName(erasures: Pick<Erasures, 'erasedAmong'>, payload: WebhookEvent['data']['payload']) {
  const author = authorIn(payload);
  if (author === null) return payload;
  return (await erasures.erasedAmong([author])).has(author) ? withoutName(payload) : payload;
}

type ClosureDeps = {
  closures: CompanyClosureStore;
  deliveries: { cancelWaiting(endpointId: string, stopped: Endpoint | null): Promise<void> };
  dispatcher: Pick<Dispatcher, 'evict'>;
};

/** Nothing is sent for a closed company. Waiting deliveries are canceled, so that `recover` can send them later. */
export function closureSubscriptions({ closures, deliveries, dispatcher }: ClosureDeps): Subscription[] {
  async function apply({ company }: { company: CompanyState }): Promise<void> {
    await closures.update(company);
    for (const endpoint of await closures.apply(company.id)) {
      dispatcher.evict(endpoint.id);
      await deliveries.cancelWaiting(endpoint.id, endpoint);
    }
  }
  return [on(companyChanged, ({ data }) => apply(data))];
}

function originOf({ id, time, requestid, traceparent }: WebhookEvent): Origin {
  return {
    eventId: id,
    eventTime: new Date(time),
    ...(requestid === undefined ? {} : { requestId: requestid }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Without fields that a later version of the event may add. */
function ticketOf({ data }: WebhookEvent): TicketRef {
  const { id, number, title } = data.payload.ticket;
  return { id, number, title };
}

type Facts = { event: WebhookEvent; name: string; body: string; createdAt: Date };

/** For an inactive endpoint the delivery is logged as canceled: `recover` can send it later. */
function newDelivery({ event, name, body, createdAt }: Facts, endpoint: Endpoint): Delivery {
  return {
    id: deliveryId(event, endpoint.id),
    endpointId: endpoint.id,
    event: name,
    origin: originOf(event),
    ticket: ticketOf(event),
    body,
    status: endpoint.active ? 'pending' : 'canceled',
    tries: 0,
    attempts: [],
    createdAt,
    nextAttemptAt: endpoint.active ? createdAt : null,
    ...(endpoint.enablings === undefined ? {} : { enabling: endpoint.enablings }),
    ...(isForManagers(event.data.payload) ? { isForManagers: true } : {}),
  };
}
