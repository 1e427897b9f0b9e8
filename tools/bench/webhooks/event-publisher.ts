import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ticketStatusChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { connect } from 'amqplib';
import type { Bench } from '../harness/bench.ts';

export type Publisher = Awaited<ReturnType<typeof openPublisher>>;

type Rate = { perSecond: number; seconds: number };

const exchange = 'domain-events';
const unconfirmed = 500;
const ticketId = newId();

/** Publishes status changes, as the ticket service does. */
export async function openPublisher({ platform }: Bench) {
  const connection = await connect(platform.amqp, { noDelay: true });
  const channel = await connection.createConfirmChannel();

  function publish(companyIds: string[], number: number): void {
    const id = randomUUID();
    const content = Buffer.from(JSON.stringify(eventFor(companyIds, number, id)));
    const properties = { persistent: true, messageId: id, contentType: 'application/cloudevents+json' };
    channel.publish(exchange, ticketStatusChanged.type, content, properties);
  }

  return {
    /** Publishes `count` events for these companies as fast as the broker confirms, numbered from `first`. */
    async burst(companyIds: string[], count: number, first = 0): Promise<void> {
      for (let n = 0; n < count; n++) {
        publish(companyIds, first + n);
        if (n % unconfirmed === unconfirmed - 1) await channel.waitForConfirms();
      }
      await channel.waitForConfirms();
    },
    /** Publishes at a steady rate, to each company in turn. @returns the time of each by number, in ms since 1970 */
    async steady(companyIds: string[], { perSecond, seconds }: Rate): Promise<number[]> {
      const published: number[] = [];
      const started = performance.now();
      for (let n = 0; n < perSecond * seconds; n++) {
        const earlyMs = started + (n * 1000) / perSecond - performance.now();
        if (earlyMs > 0) await pause(earlyMs);
        published.push(performance.timeOrigin + performance.now());
        publish([companyIds[n % companyIds.length] as string], n);
      }
      await channel.waitForConfirms();
      return published;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

function eventFor(companyIds: string[], number: number, id: string) {
  const ticket = { id: ticketId, number: `T-${number}`, title: 'Cold room too warm' };
  const payload = { ticket, status: { from: 'opened', to: 'assigned' } };
  const event = ticketStatusChanged({ audience: companyIds, payload }, new Date());
  return { specversion: '1.0', id, source: '/services/ticket', datacontenttype: 'application/json', ...event };
}
