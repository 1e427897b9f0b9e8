import { createPoller } from '@app/work-queue';
import type { Channel, ChannelModel } from 'amqplib';
import { Gauge } from 'prom-client';
import { onChannel } from './topology.ts';

const depth = new Gauge({
  name: 'queue_messages',
  help: 'Messages that wait in a queue of this service, dead letters included; without those being handled',
  labelNames: ['queue'] as const,
});

export type QueueDepthWatch = { stop(): void };

/** Reads the depth of the queues every `everyMs` into the metric. A queue that cannot be read has no value. */
export function watchQueueDepth(model: ChannelModel, queues: () => string[], everyMs: number): QueueDepthWatch {
  let stopped = false;
  const poller = createPoller({
    run: () =>
      onChannel(model, async (channel) => {
        for (const queue of queues()) await read(channel, queue);
      }),
    everyMs,
    immediate: true,
    // A queue was deleted, or the connection is gone.
    onError: () => forget(queues()),
  });

  async function read(channel: Channel, queue: string): Promise<void> {
    const { messageCount } = await channel.checkQueue(queue);
    if (!stopped) depth.set({ queue }, messageCount);
  }

  poller.start();
  return {
    stop() {
      stopped = true;
      // The run under way ends with the connection.
      void poller.stop();
      forget(queues());
    },
  };
}

function forget(queues: string[]): void {
  for (const queue of queues) depth.remove({ queue });
}
