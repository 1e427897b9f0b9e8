import type { Bench } from '../harness/bench.ts';
import { openPublisher } from './event-publisher.ts';
import { startReceiver } from './receiver.ts';
import { webhookGrowth } from './webhook-growth.ts';
import { webhookIsolation } from './webhook-isolation.ts';
import { webhookSpeed } from './webhook-speed.ts';

/** Speed and cost of deliveries, isolation from an endpoint that hangs, and growth with very many deliveries. */
export async function webhooks(bench: Bench): Promise<void> {
  await using receiver = await startReceiver(bench);
  await using publisher = await openPublisher(bench);
  for (const measure of [webhookSpeed, webhookIsolation, webhookGrowth]) await measure(bench, { publisher, receiver });
}
