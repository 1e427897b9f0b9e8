import { dirname, join, resolve } from 'node:path';
import { parseArguments, UsageError, usage } from './arguments.ts';
import { createOutput } from './output.ts';
import { serviceTable } from './service-table.ts';
import { AlreadyRunning } from './stack/lock.ts';
import { runStack } from './stack/run-stack.ts';

async function main(): Promise<number> {
  const given = parseArguments(process.argv.slice(2));
  if (!given) {
    console.log(usage);
    return 0;
  }
  // Up from tools/start/main.ts.
  const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));
  const stackDir = process.env['STACK_DIR'] || join(root, '.stack');
  const names = [...serviceTable.map(({ name }) => name), 'mongodb', 'rabbitmq'];
  return runStack({
    root,
    stackDir,
    arguments: given,
    env: process.env,
    services: serviceTable,
    output: createOutput(names, { file: join(stackDir, 'log'), verbose: given.verbose }),
  });
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    const expected = error instanceof UsageError || error instanceof AlreadyRunning;
    console.error(expected ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
