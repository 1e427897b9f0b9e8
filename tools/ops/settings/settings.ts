import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Place } from '@app/start/infra';
import { type Command, parseArguments } from './arguments.ts';
import { checkSettings, type Finding } from './check-settings.ts';
import { containerEnvironment, isSettingFile } from './container-environment.ts';
import { nameErrors } from './env-file.ts';
import { makeSecrets } from './make-secrets.ts';
import { prepareCompose } from './prepare-compose.ts';

export { usage } from './arguments.ts';

export async function run(args: string[], { root }: Place): Promise<number> {
  const command = parseArguments(args);
  if (command.name === 'check') return check(command);
  if (command.name === 'compose') {
    await prepareCompose(root);
    console.log(
      'docker compose --env-file docker-compose.dev.env -f docker-compose.yml -f docker-compose.dev.yml up --build --wait, then STACK_DIR=.stack/compose npm run demo',
    );
    return 0;
  }
  const folder = resolve(command.folder);
  const made = makeSecrets(folder);
  console.log(made.length > 0 ? `${folder}: wrote ${made.join(', ')}` : `${folder}: nothing is missing`);
  return 0;
}

async function check({ services, envFile, secretsFolder }: Command & { name: 'check' }): Promise<number> {
  const given = envFile === null ? process.env : parseEnv(readFileSync(envFile, 'utf8'));
  const names = [
    ...(envFile === null ? [] : Object.keys(given)),
    ...(secretsFolder === null ? [] : readdirSync(secretsFolder).filter(isSettingFile)).map((name) => `${name}_FILE`),
  ];
  const unusable = nameErrors(names).map((sentence): Finding => ({ level: 'error', sentence, services: [] }));
  const found = await checkSettings(services, (service) =>
    secretsFolder === null ? given : containerEnvironment(service, resolve(secretsFolder), given),
  );
  const errors = [...unusable, ...found].filter(({ level }) => level === 'error');
  const failing = services.filter((service) => errors.some((error) => error.services.includes(service)));
  const starting = services.filter((service) => !failing.includes(service));
  if (failing.length > 0) console.log(`would not start: ${failing.join(', ')}`);
  if (starting.length > 0) console.log(`would start: ${starting.join(', ')}`);
  for (const one of [...errors, ...found.filter(({ level }) => level === 'warning')])
    console.log(`${one.level}: ${one.sentence}${one.services.length > 0 ? ` [${one.services.join(', ')}]` : ''}`);
  return errors.length > 0 ? 1 : 0;
}
