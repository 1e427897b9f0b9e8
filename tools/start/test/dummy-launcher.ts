import { dirname, join, resolve } from 'node:path';
import { parseArguments } from '../arguments.ts';
import { createOutput } from '../output.ts';
import type { ServiceEntry } from '../service-table.ts';
import { runStack } from '../stack/run-stack.ts';

/** The launcher with services that do nothing: `dummy-launcher.ts <folder> <options>`. */
const [, self = '', root = '', ...args] = process.argv;
const program = join(dirname(resolve(self)), 'dummy-service.ts');

const dummy = (name: string, ports: Record<string, number>): ServiceEntry => ({
  name,
  program,
  ports,
  keys: name === 'identity' ? ['SESSION_KEYS'] : [],
  settings: { DUMMY_NAME: name },
  database: true,
});

const given = parseArguments(['--no-demo', ...args]);
if (given) {
  const services = [dummy('gateway', { OPS_PORT: 30 }), dummy('identity', { PORT: 10, OPS_PORT: 31 })];
  const output = createOutput(['gateway', 'identity', 'mongodb', 'rabbitmq']);
  const stackDir = join(root, '.stack');
  runStack({ root, stackDir, arguments: given, env: process.env, services, output }).then(
    (exitCode) => process.exit(exitCode),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exit(1);
    },
  );
}
