import { platformQueues } from '@app/contracts';
import { differentQueues, makeQueues, type QueueOutcome, replaceQueues } from '@app/messaging';
import { ServiceCommands } from '@app/start';
import type { Place } from '@app/start/infra';
import { runInServices, servicesWithData } from '../run-in-services.ts';
import { parseArguments } from './arguments.ts';

export { usage } from './arguments.ts';

export async function run(args: string[], { root }: Place): Promise<number> {
  const { list, drop, services } = parseArguments(args, servicesWithData);
  const commands = new ServiceCommands(root);
  const dropped = (service: string) => (drop.get(service) ?? []).flatMap((index) => ['--drop-index', index]);
  const concerned = services.filter((service) => drop.size === 0 || drop.has(service));
  const failed = await runInServices(commands, concerned, (service) => [
    'migrate',
    ...(list ? ['--list'] : []),
    ...dropped(service),
  ]);
  const isWhole = drop.size === 0 && services.length === servicesWithData.length;
  if (isWhole && !(await migrateQueues(commands.servers.amqp, list))) failed.push('queues');
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
