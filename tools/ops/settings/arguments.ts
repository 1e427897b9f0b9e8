import { parseOptions, UsageError } from '@app/start/infra';
import { type ServiceName, serviceSettings } from './service-settings.ts';

export type Command =
  | { name: 'check'; services: ServiceName[]; envFile: string | null; secretsFolder: string | null }
  | { name: 'secrets'; folder: string }
  | { name: 'compose' };

export const usage = `Usage: npm run ops -- settings <command>

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
} as const;

/** @throws UsageError */
export function parseArguments(args: string[]): Command {
  const { values, positionals } = parseOptions(args, options, { names: true });
  const { 'env-file': envFile = null, secrets: secretsFolder = null } = values;
  const [name, ...rest] = positionals;
  if (name === 'check') {
    const all = Object.keys(serviceSettings);
    const unknown = rest.filter((one) => !all.includes(one));
    if (unknown.length > 0) throw new UsageError(`there is no service ${unknown.join(', ')}.`);
    return { name, services: (rest.length > 0 ? rest : all) as ServiceName[], envFile, secretsFolder };
  }
  const [folder, ...more] = rest;
  const hasOptions = envFile !== null || secretsFolder !== null;
  if (name === 'compose' && folder === undefined && !hasOptions) return { name };
  if (name === 'secrets' && folder !== undefined && more.length === 0 && !hasOptions) return { name, folder };
  throw new UsageError(name === undefined ? 'Name a command.' : `'${args.join(' ')}' is not understood.`);
}
