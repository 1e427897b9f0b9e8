import { dirname, resolve } from 'node:path';
import { ServiceCommands, serviceTable } from '@app/start';
import { parseArguments, usage } from './arguments.ts';

// Up from tools/restored/main.ts.
const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));

/** @returns the exit code */
async function main(): Promise<number> {
  const services = serviceTable.filter(({ database }) => database);
  const names = services.map(({ name }) => name);
  const given = parseArguments(process.argv.slice(2), names);
  if (!given) {
    console.log(usage);
    return 0;
  }
  const commands = new ServiceCommands(root);
  const failed: string[] = [];
  for (const service of services.filter(({ name }) => given.services.includes(name))) {
    // One after the other: what fails is the last thing that was said.
    if (!(await commands.run(service, ['restored', ...given.options]))) failed.push(service.name);
  }
  if (failed.length > 0) console.error(`\nfailed: ${failed.join(', ')}. Run it again for them once the cause is gone.`);
  return failed.length > 0 ? 1 : 0;
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
