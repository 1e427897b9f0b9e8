import { resolve } from 'node:path';
import { parseArguments, usage } from './arguments.ts';
import { checkSettings } from './check-settings.ts';
import { containerEnvironment } from './container-environment.ts';
import { makeSecrets } from './make-secrets.ts';
import { prepareCompose } from './prepare-compose.ts';
import type { ServiceName } from './service-settings.ts';

/** @returns the exit code */
async function main(): Promise<number> {
  const command = parseArguments(process.argv.slice(2));
  if (!command) {
    console.log(usage);
    return 0;
  }
  if (command.name === 'check') {
    const { services, secretsFolder } = command;
    return check(
      services,
      secretsFolder === null ? process.env : containerEnvironment(resolve(secretsFolder), process.env),
    );
  }
  if (command.name === 'compose') {
    await prepareCompose(process.cwd());
    console.log(
      'docker compose -f docker-compose.yml -f docker-compose.dev.yml up --build --wait, then STACK_DIR=.stack/compose npm run demo',
    );
    return 0;
  }
  const folder = resolve(command.folder);
  const made = makeSecrets(folder);
  console.log(made.length > 0 ? `${folder}: wrote ${made.join(', ')}` : `${folder}: nothing is missing`);
  return 0;
}

async function check(services: ServiceName[], env: NodeJS.ProcessEnv): Promise<number> {
  let isUsable = true;
  for (const [name, { errors, warnings }] of await checkSettings(services, env)) {
    if (errors.length > 0) isUsable = false;
    if (name !== 'together') console.log(`${name}: ${errors.length > 0 ? 'would not start' : 'would start'}`);
    for (const error of errors) console.log(`  error: ${error.trim()}`);
    for (const warning of warnings) console.log(`  warning: ${warning}`);
  }
  return isUsable ? 0 : 1;
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
