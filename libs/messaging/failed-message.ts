import { type Logger, metrics } from '@app/runtime';
import type { ConsumeMessage } from 'amqplib';
import { Counter } from 'prom-client';
import { requeue, type Send } from './requeue.ts';
import { retryDecision } from './subscription.ts';
import { ownHeaders, type QueueNames } from './topology.ts';

const putAside = new Counter({
  name: 'messages_put_aside_total',
  help: 'Events whose handling was given up, which wait for `npm run replay`; any is worth a look',
  labelNames: ['queue'] as const,
  registers: [metrics],
});
const triedAgain = new Counter({
  name: 'messages_tried_again_total',
  help: 'Events whose handling failed for now',
  labelNames: ['queue'] as const,
  registers: [metrics],
});

const maxAttempts = 5;
/** A minute each: an hour, so that a new version may be rolled out in any order. */
export const unknownRounds = 60;

/** A message whose handler threw, and whether the channel that it came by is still there. */
type Failed = { message: ConsumeMessage; error: unknown; isHeld: () => boolean };

type Deps = {
  queue: QueueNames;
  send: Send;
  logger: Logger;
};

/** Has a message that failed tried again later or put aside; resolves when the broker has it safe there. */
export function createFailureHandler({ queue, send, logger }: Deps): (failed: Failed) => Promise<void> {
  const to = { dead: queue.dead, retry: queue.retry, wait: queue.retry, unknown: queue.unknown };
  return async ({ message, error, isHeld }) => {
    const given = message.properties.headers ?? {};
    const { messageId } = message.properties;
    const before = countIn(given, 'x-attempts');
    const rounds = countIn(given, 'x-unknown-rounds');
    const found = retryDecision(error, before, maxAttempts);
    const outcome = found === 'unknown' && rounds >= unknownRounds ? 'dead' : found;
    const attempts = outcome === 'dead' || outcome === 'retry' ? before + 1 : before;
    const log = { queue: queue.main, messageId, requestId: given['x-request-id'], attempts, error };
    (outcome === 'dead' ? putAside : triedAgain).inc({ queue: queue.main });
    if (outcome === 'dead') logger.error('message put aside', log);
    else logger.warn('message will be tried again', log);

    const reason = error instanceof Error ? error.message : String(error);
    const headers = {
      ...ownHeaders(given),
      'x-attempts': attempts,
      ...(found === 'unknown' ? { 'x-unknown-rounds': rounds + 1 } : {}),
      'x-reason': reason.slice(0, 500),
      'x-failed-at': new Date().toISOString(),
    };
    const settled = { content: message.content, properties: { ...message.properties, headers } };
    await requeue({ queue: to[outcome], message: settled, channelIsOpen: isHeld, send, logger });
  };
}

function countIn(headers: Record<string, unknown>, name: string): number {
  return Number(headers[name] ?? 0);
}
