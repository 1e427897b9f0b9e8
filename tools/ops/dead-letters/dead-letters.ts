import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformQueues } from '@app/contracts';
import { type DeadLetter, DeadLetters } from '@app/messaging';
import { environmentWithFiles } from '@app/runtime';
import type { Place } from '@app/start/infra';
import { type Command, parseArguments } from './arguments.ts';

export { usage } from './arguments.ts';

const shown = 50;

export async function run(args: string[], { stackDir }: Place): Promise<void> {
  const command = parseArguments(args);
  const { AMQP_URL = amqpOfStack(stackDir) } = environmentWithFiles(['AMQP_URL'], process.env);
  const letters = await DeadLetters.open(AMQP_URL);
  try {
    if (command.name === 'list') await list(letters);
    else if (command.name === 'show') await show(letters, command);
    else await change(letters, command);
  } finally {
    await letters.close();
  }
}

async function list(letters: DeadLetters): Promise<void> {
  const queues = Object.entries(platformQueues).flatMap(([service, table]) =>
    Object.keys(table).map((queue) => fullName(`${service}.${queue}`)),
  );
  const counts = await letters.countAll(queues);
  for (const [queue, count] of counts) console.log(`${String(count).padStart(8)}  ${queue}`);
  if (counts.size === 0) console.log(`no dead letters in ${queues.length} queues`);
}

async function show(letters: DeadLetters, { queue, id }: Command & { name: 'show' }): Promise<void> {
  const found = await letters.list(fullName(queue), id === undefined ? shown : undefined);
  const wanted = id === undefined ? found : found.filter((letter) => letter.id === id);
  for (const letter of wanted) console.log(lineOf(letter));
  if (id !== undefined) for (const { content } of wanted) console.log(readable(content));
  if (wanted.length === 0)
    console.log(id === undefined ? `no dead letters of ${queue}` : `no dead letter of ${queue} has the id ${id}`);
}

async function change(letters: DeadLetters, command: Command & { name: 'replay' | 'drop' }): Promise<void> {
  const { name, queue, id, isConfirmed } = command;
  const full = fullName(queue);
  const what = (count: number) => `${count} ${count === 1 ? 'message' : 'messages'}`;
  if (!isConfirmed) {
    const count = id === undefined ? await letters.count(full) : await countOf(letters, full, id);
    const would =
      name === 'replay' ? `move ${what(count)} back to ${queue}` : `delete ${what(count)} of ${queue} for good`;
    console.log(`would ${would}; add --yes to do it`);
  } else if (name === 'replay') console.log(`${what(await letters.replay(full, id))} moved back to ${queue}`);
  else console.log(`${what(await letters.drop(full, id))} of ${queue} deleted`);
}

async function countOf(letters: DeadLetters, queue: string, id: string): Promise<number> {
  return (await letters.list(queue)).filter((letter) => letter.id === id).length;
}

function fullName(queue: string): string {
  return `${process.env['NAMESPACE'] ?? ''}${queue}`;
}

function lineOf({ id, type, failedAt, reason, requestId, content }: DeadLetter): string {
  const request = requestId === null ? '' : `, request ${requestId}`;
  return `${failedAt ?? '(by the broker)'}  ${type ?? '?'}  ${id ?? '?'}  ${content.length} bytes${request}: ${reason}`;
}

/** JSON indented; anything else as it is. */
function readable(content: Buffer): string {
  const text = content.toString('utf8');
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function amqpOfStack(stackDir: string): string {
  try {
    return (JSON.parse(readFileSync(join(stackDir, 'stack.json'), 'utf8')) as { amqp: string }).amqp;
  } catch {
    throw new Error('no stack is running here: set AMQP_URL');
  }
}
