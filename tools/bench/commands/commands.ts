import { setTimeout as pause } from 'node:timers/promises';
import { makeAccount } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { againstAim, decimals, printTable } from '../harness/table.ts';
import { startProvider } from '../invoices/bench-provider.ts';
import { openPublisher } from '../webhooks/event-publisher.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { type Commands, countCommands, isClearing, isCounting } from './command-counter.ts';
import { type CountedOperation, countedOperations } from './counted-operations.ts';

const times = 20;
/** Between two of them, so that each is alone. */
const apartMs = 300;
/** By then consumers and workers have done what an operation left behind. */
const settledMs = 5_000;
/** Longer than the pause of any worker that looks for something to do. */
const idleMs = 65_000;

/** The commands that one operation alone sends to MongoDB, all services included. */
export async function commands(bench: Bench): Promise<void> {
  const account = await makeAccount(bench.platform, 'Bench commands');
  await using receiver = await startReceiver(bench);
  await using publisher = await openPublisher(bench);
  await using provider = await startProvider(bench, account);
  const operations = await countedOperations(bench, { account, times, ends: { receiver, publisher }, provider });
  bench.progress('all operations, before they are counted');
  for (const { run } of operations) for (let index = 0; index < times; index++) await run(index);
  await pause(settledMs);
  bench.progress('commands of an idle platform, which do not count');
  const idle = await countCommands(bench.client, () => pause(idleMs));
  const rows: string[][] = [];
  for (const operation of operations) {
    bench.progress(operation.name);
    const sent = await countCommands(bench.client, () => carryOut(operation));
    rows.push(...rowsOf(operation, new Map([...sent].filter(([command]) => !idle.has(command)))));
  }
  const title = `Commands of one operation alone: mean of ${times}, ${apartMs} ms apart`;
  printTable(title, ['operation', 'commands', 'counted', 'aim', 'count figures', 'clear outboxes'], rows);
}

async function carryOut({ run }: CountedOperation): Promise<void> {
  for (let index = times; index < 2 * times; index++) {
    await run(index);
    await pause(apartMs);
  }
  await pause(settledMs);
}

/** Those that serve the writes of some time at once stand apart, and do not count against the aim. */
function rowsOf({ name, counted, aim }: CountedOperation, sent: Commands): string[][] {
  const all = [...sent].sort(([one], [other]) => (one < other ? -1 : 1));
  const mean = (of: (command: string) => boolean) =>
    all.reduce((sum, [command, count]) => sum + (of(command) ? count : 0), 0) / times;
  const isOwn = (command: string) => !isClearing(command) && !isCounting(command);
  const against = Number(mean((command) => isOwn(command) && counted.test(command)).toFixed(1));
  const means = [mean(isCounting), mean(isClearing)].map((value) => decimals(value, 1));
  const head = [name, decimals(mean(isOwn), 1), decimals(against, 1), againstAim(against, { most: aim }, 0), ...means];
  return [head, ...all.map(([command, count]) => [`  ${command}`, decimals(count / times, 1)])];
}
