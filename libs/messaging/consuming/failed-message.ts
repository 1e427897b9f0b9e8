import type { Logger } from '@app/runtime';
import type { ConsumeMessage } from 'amqplib';
import { Counter } from 'prom-client';
import { ownHeaders, type QueueNames } from '../queues/topology.ts';
import { requeue, type Send } from './requeue.ts';
import { retryDecision } from './subscription.ts';

const deadLettered = new Counter({
  name: 'messages_dead_lettered_total',
  help: 'Events that could not be handled, which wait for `npm run ops -- dead-letters`; any is worth a look',
  labelNames: ['queue'] as const,
});
const retried = new Counter({
  name: 'messages_retried_total',
  help: 'Events whose handling failed for now',
  labelNames: ['queue'] as const,
});

const maxAttempts = 5;
/** At one a minute: an hour, so that the services of a new version can be rolled out in any order. */
const unknownRounds = 60;

type FailedMessage = {
  message: ConsumeMessage;
  error: unknown;
  /** Whether the channel by which the message came is still open. */
  channelIsOpen: () => boolean;
};

type Deps = {
  queue: QueueNames;
  send: Send;
  logger: Logger;
};

/** A function that moves a message whose handler failed to a retry queue or the dead-letter queue; resolves once it is safe there. */
export function createFailureHandler({ queue, send, logger }: Deps): (failed: FailedMessage) => Promise<void> {
  const targets = { dead: queue.dead, retry: queue.retry, 'retry-unlimited': queue.retry, unknown: queue.unknown };
  return async ({ message, error, channelIsOpen }) => {
    const given = message.properties.headers ?? {};
    const { messageId } = message.properties;
    const previousAttempts = countIn(given, 'x-attempts');
    const rounds = countIn(given, 'x-unknown-rounds');
    const decision = retryDecision(error, previousAttempts, maxAttempts);
    const outcome = decision === 'unknown' && rounds >= unknownRounds ? 'dead' : decision;
    const attempts = outcome === 'dead' || outcome === 'retry' ? previousAttempts + 1 : previousAttempts;
    const log = { queue: queue.main, messageId, requestId: given['x-request-id'], attempts, error };
    (outcome === 'dead' ? deadLettered : retried).inc({ queue: queue.main });
    if (outcome === 'dead') logger.error('message dead-lettered', log);
    else logger.warn('message will be retried', log);

    const reason = error instanceof Error ? error.message : String(error);
    const headers = {
      ...ownHeaders(given),
      'x-attempts': attempts,
      ...(decision === 'unknown' ? { 'x-unknown-rounds': rounds + 1 } : {}),
      'x-reason': reason.slice(0, 500),
      'x-failed-at': new Date().toISOString(),
    };
    const requeued = { content: message.content, properties: { ...message.properties, headers } };
    await requeue({ queue: targets[outcome], message: requeued, channelIsOpen, send, logger });
  };
}

function countIn(headers: Record<string, unknown>, name: string): number {
  return Number(headers[name] ?? 0);
}
