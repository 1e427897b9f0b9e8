import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createProcesses } from '@app/start/infra';
import { MongoClient } from 'mongodb';
import { appName } from './commands/command-counter.ts';
import { commands } from './commands/commands.ts';
import { type Arguments, parseArguments, UsageError, usage } from './harness/arguments.ts';
import type { Bench } from './harness/bench.ts';
import { startPlatform } from './harness/servers.ts';
import { invoiceSpeed } from './invoices/invoice-speed.ts';
import { matchingQuality } from './matching/matching-quality.ts';
import { purchaseSpeed, ticketSpeed } from './tickets/operation-speed.ts';
import { ticketGrowth } from './tickets/ticket-growth.ts';
import { webhooks } from './webhooks/webhooks.ts';

/** The parts of the bench, by the names that `npm run bench -- NAME` takes. */
const suites: Record<string, (bench: Bench) => Promise<void>> = {
  tickets: ticketSpeed,
  growth: ticketGrowth,
  purchases: purchaseSpeed,
  matching: matchingQuality,
  invoices: invoiceSpeed,
  webhooks,
  commands,
};

/** Of the repository that is measured. */
const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));

async function main(): Promise<void> {
  const given = parseArguments(process.argv.slice(2), Object.keys(suites));
  if (!given) return console.log(usage(Object.keys(suites)));
  const undo: (() => Promise<void>)[] = [];
  // Last in, first out; each once, also if two signals arrive.
  const takeDown = async () => {
    for (let one = undo.pop(); one; one = undo.pop())
      await one().catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void takeDown().then(() => process.exit(130)));
  try {
    await run(given, (one) => void undo.push(one));
  } finally {
    await takeDown();
  }
  return undefined;
}

async function run({ suites: picked, ...given }: Arguments, onEnd: Bench['onEnd']): Promise<void> {
  const processes = createProcesses();
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  onEnd(async () => rmSync(folder, { recursive: true, force: true }));
  onEnd(() => processes.close());
  const progress = (line: string) => console.error(`… ${line}`);
  progress('starting a platform');
  const platform = await startPlatform({ root, processes }, folder);
  const client = await MongoClient.connect(platform.mongodb, { appName });
  onEnd(() => client.close());
  const bench: Bench = {
    ...given,
    root,
    folder,
    platform,
    client,
    processes,
    progress,
    print: (shown) => console.log(shown),
    onEnd,
  };
  for (const name of picked.length > 0 ? picked : Object.keys(suites)) await suites[name]?.(bench);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
