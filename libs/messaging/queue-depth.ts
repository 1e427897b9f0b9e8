import { metrics } from '@app/runtime';
import type { Channel, ChannelModel } from 'amqplib';
import { Gauge } from 'prom-client';
import { onChannel } from './topology.ts';

const depth = new Gauge({
  name: 'queue_messages',
  help: 'Messages that wait in a queue of this service, dead letters included; without those in hand',
  labelNames: ['queue'] as const,
  registers: [metrics],
});

export type QueueDepthWatch = { stop(): void };

/** Asks the broker now and then how much waits in the queues, one after the other. What it does not say has no value. */
export function watchQueueDepth(model: ChannelModel, queues: () => string[], everyMs: number): QueueDepthWatch {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function look(): Promise<void> {
    try {
      await onChannel(model, async (channel) => {
        for (const queue of queues()) await lookAt(channel, queue);
      });
    } catch {
      // A queue that somebody deleted, or the connection is gone.
      forget(queues());
    }
    if (!stopped) timer = setTimeout(look, everyMs).unref();
  }

  async function lookAt(channel: Channel, queue: string): Promise<void> {
    const { messageCount } = await channel.checkQueue(queue);
    if (!stopped) depth.set({ queue }, messageCount);
  }

  timer = setTimeout(look, Math.min(everyMs, 1_000)).unref();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      forget(queues());
    },
  };
}

function forget(queues: string[]): void {
  for (const queue of queues) depth.remove({ queue });
}
