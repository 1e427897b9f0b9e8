import { parseArgs } from 'node:util';
import { type ServiceName, serviceSettings } from './service-settings.ts';

export type Command =
  | { name: 'check'; services: ServiceName[]; envFile: string | null; secretsFolder: string | null }
  | { name: 'secrets'; folder: string }
  | { name: 'compose' };

export const usage = `Usage: npm run settings -- <command>

  check [--env-file <file>] [--secrets <folder>] [service …]
                      says what is missing for production, and what is doubtful; starts nothing; exit code 1 if a service would
                      not start. --env-file: takes the settings of this file, as docker-compose.yml takes .env, and names those
                      that nobody reads; otherwise those of the environment. --secrets: adds what containers get, each file of the
                      folder as the setting of its name, ports and addresses of services as in docker-compose.yml and k8s
  secrets <folder>    writes new keys, tokens and passwords as files, one for each, for docker-compose.yml; a file that is
                      there already stays
  compose             prepares docker-compose.dev.yml: writes secrets of its own, and what the demo needs, to .stack/compose

docs/settings.md lists all settings.`;

const options = {
  'env-file': { type: 'string' },
  secrets: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @returns null for help. @throws Error with the usage */
export function parseArguments(args: string[]): Command | null {
  const { values, positionals } = parse(args);
  const { 'env-file': envFile = null, secrets: secretsFolder = null, help } = values;
  const [name, ...rest] = positionals;
  if (help) return null;
  if (name === 'check') {
    const all = Object.keys(serviceSettings);
    const unknown = rest.filter((one) => !all.includes(one));
    if (unknown.length > 0) throw new Error(`there is no service ${unknown.join(', ')}.\n\n${usage}`);
    return { name, services: (rest.length > 0 ? rest : all) as ServiceName[], envFile, secretsFolder };
  }
  const [folder, ...more] = rest;
  const hasOptions = envFile !== null || secretsFolder !== null;
  if (name === 'compose' && folder === undefined && !hasOptions) return { name };
  if (name === 'secrets' && folder !== undefined && more.length === 0 && !hasOptions) return { name, folder };
  throw new Error(usage);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new Error(`${(error as Error).message.split('. ')[0]}.\n\n${usage}`);
  }
}
