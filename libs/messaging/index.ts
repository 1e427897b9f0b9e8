export { type Broker, connectBroker } from './broker.ts';
export type { ConsumerOptions } from './consumer.ts';
export { createInbox, type Inbox } from './inbox.ts';
export { addOutbox, toCloudEvents, type WithOutbox } from './outbox.ts';
export { createOutboxWriter, type OutboxUpdate, type OutboxWriter, type TransactionalWrite } from './outbox-writer.ts';
export { createRelay, type Relay } from './relay.ts';
export { replayDeadLetters } from './replay.ts';
export { type Handler, type MessageInfo, on, type Subscription } from './subscription.ts';
export { names } from './topology.ts';
