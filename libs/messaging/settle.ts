import { type Logger, metrics } from '@app/runtime';
import type { ConsumeMessage } from 'amqplib';
import { Counter } from 'prom-client';
import { putBack, type Send } from './put-back.ts';
import { fate } from './subscription.ts';
import { type Names, ownHeaders } from './topology.ts';

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

/** A message whose handler threw, and whether the channel that it came by is still there. */
type Failed = { message: ConsumeMessage; error: unknown; isHeld: () => boolean };

type Deps = {
  queue: ReturnType<Names['queue']>;
  send: Send;
  logger: Logger;
};

/** Has a message that failed tried again later or put aside; resolves when the broker has it safe there. */
export function createSettle({ queue, send, logger }: Deps): (failed: Failed) => Promise<void> {
  return async ({ message, error, isHeld }) => {
    const given = message.properties.headers ?? {};
    const { messageId } = message.properties;
    const before = Number(given['x-attempts'] ?? 0);
    const outcome = fate(error, before, maxAttempts);
    const attempts = outcome === 'wait' ? before : before + 1;
    const log = { queue: queue.main, messageId, requestId: given['x-request-id'], attempts, error };
    (outcome === 'dead' ? putAside : triedAgain).inc({ queue: queue.main });
    if (outcome === 'dead') logger.error('message put aside', log);
    else logger.warn('message will be tried again', log);

    const reason = error instanceof Error ? error.message : String(error);
    const headers = {
      ...ownHeaders(given),
      'x-attempts': attempts,
      'x-reason': reason.slice(0, 500),
      'x-failed-at': new Date().toISOString(),
    };
    const settled = { content: message.content, properties: { ...message.properties, headers } };
    await putBack({ queue: outcome === 'dead' ? queue.dead : queue.retry, message: settled, isHeld, send, logger });
  };
}
