import { dirname, join, resolve } from 'node:path';
import { parseArguments, usage } from './arguments.ts';
import { UsageError } from './infra/index.ts';
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
    const isUsage = error instanceof UsageError;
    if (isUsage) console.error(`${error.message}\n\n${usage}`);
    else console.error(error instanceof AlreadyRunning ? error.message : error);
    process.exit(isUsage ? 2 : 1);
  },
);
