import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayDeadLetters } from '@app/messaging';

const usage = `Usage: npm run replay -- <service>.<queue>

Puts what waits in the dead-letter queue of a consumer back on its queue, oldest first.
AMQP_URL says where the broker is (default: that of the running stack), NAMESPACE is put before the name.`;

async function main(): Promise<void> {
  const [queue] = process.argv.slice(2);
  if (!queue || queue.startsWith('-')) throw new Error(usage);
  const url = process.env['AMQP_URL'] ?? amqpOfStack();
  const replayed = await replayDeadLetters(url, `${process.env['NAMESPACE'] ?? ''}${queue}`);
  console.log(`${replayed} message${replayed === 1 ? '' : 's'} put back on ${queue}`);
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
