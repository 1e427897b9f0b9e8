export { type Broker, connectBroker } from './broker.ts';
export type { ConsumerOptions } from './consuming/consumer.ts';
export { createInbox, type Inbox } from './consuming/inbox.ts';
export { type Handler, on, type Subscription, unknownMessage } from './consuming/subscription.ts';
export { addOutbox, toCloudEvents, type WithOutbox } from './outbox/outbox.ts';
export {
  createOutboxWriter,
  type OutboxUpdate,
  type OutboxWriter,
} from './outbox/outbox-writer.ts';
export { createRelay, type Relay } from './outbox/relay.ts';
export { type DeadLetter, DeadLetters } from './queues/dead-letters.ts';
export { makeQueues } from './queues/make-queues.ts';
export { type QueueStats, queueStats } from './queues/queue-stats.ts';
export { differentQueues, type QueueOutcome, replaceQueues } from './queues/replace-queues.ts';
export { names } from './queues/topology.ts';
