import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../harness/bench.ts';
import { startReceiver } from './receiver.ts';
import { webhookGrowth } from './webhook-growth.ts';
import { webhookIsolation } from './webhook-isolation.ts';
import { webhookSpeed } from './webhook-speed.ts';

/** Speed and cost of deliveries, isolation from an endpoint that hangs, and growth with very many deliveries. */
export async function webhooks(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-webhooks-'));
  bench.onEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const receiver = await startReceiver(join(bench.root, 'tools/bench/webhooks'), folder);
  bench.onEnd(() => receiver.close());
  await webhookSpeed(bench, receiver);
  await webhookIsolation(bench, receiver);
  await webhookGrowth(bench, receiver);
}
