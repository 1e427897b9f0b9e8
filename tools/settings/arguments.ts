import { type ServiceName, serviceSettings } from './service-settings.ts';

export type Command =
  | { name: 'check'; services: ServiceName[]; secretsFolder: string | null }
  | { name: 'secrets'; folder: string }
  | { name: 'compose' };

export const usage = `Usage: npm run settings -- <command>

  check [--secrets <folder>] [service …]
                      says what is missing for production, and what is doubtful; starts nothing. It reads the environment;
                      exit code 1 if a service would not start. --secrets: checks what containers get, each file of the
                      folder as the setting of its name, ports and addresses of services as in docker-compose.yml and k8s
  secrets <folder>    writes new keys, tokens and passwords as files, one for each, for docker-compose.yml; a file that is
                      there already stays
  compose             prepares docker-compose.dev.yml in this folder: secrets/, and .stack/compose for the demo

docs/settings.md lists all settings.`;

/** @returns null for help. @throws Error with the usage */
export function parseArguments([name, ...rest]: string[]): Command | null {
  if (name === '--help' || name === '-h') return null;
  if (name === 'check') {
    const [flag, folder = '', ...others] = rest;
    const hasFolder = flag === '--secrets';
    if (hasFolder && folder === '') throw new Error(usage);
    const services = hasFolder ? others : rest;
    const unknown = services.filter((one) => !(one in serviceSettings));
    if (unknown.length > 0) throw new Error(`there is no service ${unknown.join(', ')}.\n\n${usage}`);
    const all = Object.keys(serviceSettings);
    return {
      name,
      services: (services.length > 0 ? services : all) as ServiceName[],
      secretsFolder: hasFolder ? folder : null,
    };
  }
  if (name === 'compose' && rest.length === 0) return { name };
  const [folder, ...more] = rest;
  if (name === 'secrets' && folder !== undefined && more.length === 0) return { name, folder };
  throw new Error(usage);
}
