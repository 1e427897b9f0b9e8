import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { serviceTable } from '@app/start';

/**
 * The environment that the services have in containers: each file of the folder as the setting of its name, as docker-compose.yml and the
 * Secrets of Kubernetes hand it over, and what docker-compose.yml and k8s/base say by themselves, ports and the addresses of services.
 * Everything else is that of `env`.
 */
export function containerEnvironment(folder: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const files = readdirSync(folder).filter((name) => /^[A-Z0-9_]+$/.test(name));
  return Object.assign(
    {},
    ...serviceTable.map(({ ports, addresses = {} }) => ({
      ...mapValues(ports, () => '8080'),
      ...mapValues(addresses, (target) => `http://${target}:8080`),
    })),
    env,
    Object.fromEntries(files.map((name) => [`${name}_FILE`, join(folder, name)])),
  );
}

function mapValues<T>(values: Record<string, T>, to: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
}
