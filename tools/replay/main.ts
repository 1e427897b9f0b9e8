import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayDeadLetters } from '@app/messaging';

const usage = `Usage: npm run replay -- <service>.<queue>

Moves the messages of a consumer's dead-letter queue back to its queue, oldest first.
AMQP_URL is the broker (default: that of the running stack), NAMESPACE a prefix of the queue's name.`;

async function main(): Promise<void> {
  const [queue] = process.argv.slice(2);
  if (!queue || queue.startsWith('-')) throw new Error(usage);
  const url = process.env['AMQP_URL'] ?? amqpOfStack();
  const replayed = await replayDeadLetters(url, `${process.env['NAMESPACE'] ?? ''}${queue}`);
  console.log(`${replayed} message${replayed === 1 ? '' : 's'} moved back to ${queue}`);
}

function amqpOfStack(): string {
  try {
    const path = join(process.env['STACK_DIR'] || '.stack', 'stack.json');
    return (JSON.parse(readFileSync(path, 'utf8')) as { amqp: string }).amqp;
  } catch {
    throw new Error('no stack is running here: set AMQP_URL');
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
