import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { webhookGrowth } from './webhook-growth.ts';
import { webhookIsolation } from './webhook-isolation.ts';
import { startReceiver } from './webhook-receiver.ts';
import { webhookSpeed } from './webhook-speed.ts';

/** What a webhook costs, whom one that hangs delays, and what it is to have very many. */
export async function webhooks(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-webhooks-'));
  bench.atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const receiver = await startReceiver(join(bench.root, 'tools/bench'), folder);
  bench.atEnd(() => receiver.close());
  await webhookSpeed(bench, receiver);
  await webhookIsolation(bench, receiver);
  await webhookGrowth(bench, receiver);
}
