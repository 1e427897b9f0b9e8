import { dirname, resolve } from 'node:path';
import { platformQueues } from '@app/contracts';
import { differentQueues, makeQueues, type QueueOutcome, replaceQueues } from '@app/messaging';
import { ServiceCommands, serviceTable } from '@app/start';
import { parseArguments, usage } from './arguments.ts';

// Up from tools/migrate/main.ts.
const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));

/** @returns the exit code */
async function main(): Promise<number> {
  const services = serviceTable.filter(({ database }) => database);
  const given = parseArguments(
    process.argv.slice(2),
    services.map(({ name }) => name),
  );
  if (!given) {
    console.log(usage);
    return 0;
  }
  const commands = new ServiceCommands(root);
  const failed: string[] = [];
  for (const service of services.filter(({ name }) => given.services.includes(name))) {
    const dropped = given.drop.get(service.name) ?? [];
    if (given.drop.size > 0 && dropped.length === 0) continue;
    const args = [...(given.list ? ['--list'] : []), ...dropped.flatMap((index) => ['--drop-index', index])];
    // One after the other: what fails is the last thing that was said.
    if (!(await commands.run(service, ['migrate', ...args]))) failed.push(service.name);
  }
  const isWhole = given.drop.size === 0 && given.services.length === services.length;
  if (isWhole && !(await migrateQueues(commands.servers.amqp, given.list))) failed.push('queues');
  if (failed.length > 0)
    console.error(`\nfailed: ${failed.join(', ')}. What is done stays done; run it again once the cause is gone.`);
  return failed.length > 0 ? 1 : 0;
}

/** A queue that is in use is no failure: this version works with it as it is. */
async function migrateQueues(url: string, isListed: boolean): Promise<boolean> {
  const options = { url, namespace: process.env['NAMESPACE'] ?? '', table: platformQueues };
  const say = (line: string) => console.log(`${'queues'.padEnd(24)}${line}`);
  try {
    if (!isListed) await makeQueues(options);
    const outcomes = await (isListed ? differentQueues(options) : replaceQueues(options));
    for (const outcome of outcomes) say(sentenceOf(outcome));
    if (outcomes.length === 0) say('nothing is pending');
    return true;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
}

function sentenceOf({ queue, result, moved, consumers }: QueueOutcome): string {
  if (result === 'replaced') return `done: ${queue} replaced, ${moved} messages moved`;
  if (consumers === 0) return `pending: ${queue} has other arguments`;
  const service = queue.split('.', 1)[0];
  return `pending: ${queue} has other arguments and ${consumers} consumers: stop ${service}, run this again, and start it`;
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
