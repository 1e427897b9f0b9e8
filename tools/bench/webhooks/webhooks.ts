import type { Bench } from '../harness/bench.ts';
import { openPublisher, type Publisher } from './event-publisher.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { webhookGrowth } from './webhook-growth.ts';
import { webhookIsolation } from './webhook-isolation.ts';
import { webhookSpeed } from './webhook-speed.ts';

/** Who sends to the platform's dispatcher, and who receives from it. */
export type Ends = { publisher: Publisher; receiver: Receiver };

/** Speed and cost of deliveries, isolation from an endpoint that hangs, and growth with very many deliveries. */
export async function webhooks(bench: Bench): Promise<void> {
  await using receiver = await startReceiver(bench);
  await using publisher = await openPublisher(bench);
  for (const measure of [webhookSpeed, webhookIsolation, webhookGrowth]) await measure(bench, { publisher, receiver });
}
