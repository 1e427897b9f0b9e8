import { setTimeout as pause } from 'node:timers/promises';
import { makeAccount } from '../harness/accounts.ts';
import type { Bench } from '../harness/bench.ts';
import { againstAim, decimals, figure, table, text } from '../harness/table.ts';
import { type Commands, countCommands, isClearing } from './command-counter.ts';
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
  const operations = await countedOperations(bench, account, times);
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
  const columns = [text('operation'), figure('commands'), figure('counted'), text('aim'), figure('clear an outbox')];
  const title = `Commands of one operation alone: mean of ${times}, ${apartMs} ms apart`;
  bench.print(table(title, columns, rows));
}

async function carryOut({ run }: CountedOperation): Promise<void> {
  for (let index = times; index < 2 * times; index++) {
    await run(index);
    await pause(apartMs);
  }
  await pause(settledMs);
}

/** What clears outboxes is shared by all events of 100 ms, so it does not count. */
function rowsOf({ name, counted, aim }: CountedOperation, sent: Commands): string[][] {
  const all = [...sent].sort(([one], [other]) => (one < other ? -1 : 1));
  const asked = all.filter(([command]) => !isClearing(command));
  const ofAim = asked.filter(([command]) => counted.test(command));
  const mean = (commands: [string, number][]) => commands.reduce((sum, [, count]) => sum + count, 0) / times;
  const [total, own] = [mean(asked), Number(mean(ofAim).toFixed(1))];
  const clearing = mean(all.filter(([command]) => isClearing(command)));
  const head = [name, decimals(total, 1), decimals(own, 1), againstAim(own, { most: aim }, 0), decimals(clearing, 1)];
  return [head, ...asked.map(([command, count]) => [`  ${command}`, decimals(count / times, 1)])];
}
