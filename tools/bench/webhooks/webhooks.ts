import type { Bench } from '../harness/bench.ts';
import { startReceiver } from './receiver.ts';
import { webhookGrowth } from './webhook-growth.ts';
import { webhookIsolation } from './webhook-isolation.ts';
import { webhookSpeed } from './webhook-speed.ts';

/** Speed and cost of deliveries, isolation from an endpoint that hangs, and growth with very many deliveries. */
export async function webhooks(bench: Bench): Promise<void> {
  const receiver = await startReceiver(bench.folder);
  bench.onEnd(() => receiver.close());
  await webhookSpeed(bench, receiver);
  await webhookIsolation(bench, receiver);
  await webhookGrowth(bench, receiver);
}
