import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { serviceTable } from '@app/start';
import type { ServiceName } from './service-settings.ts';

/** A file of the folder that is a setting, and not one of MongoDB or RabbitMQ. */
export const isSettingFile = (name: string) => /^[A-Z0-9_]+$/.test(name);

/**
 * The environment that a service has in its container: each file of the folder as the setting of its name, as docker-compose.yml and the
 * Secrets of Kubernetes hand it over, and what docker-compose.yml and k8s/chart say by themselves, ports and the addresses of services.
 * Everything else is that of `env`.
 */
export function containerEnvironment(name: ServiceName, folder: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ports = {}, addresses = {} } = serviceTable.find((entry) => entry.name === name) ?? {};
  const files = [folder, join(folder, name)].flatMap((within) =>
    existsSync(within) ? readdirSync(within).map((file) => [file, join(within, file)] as const) : [],
  );
  return {
    ...mapValues(ports, () => '8080'),
    ...mapValues(addresses, (target) => `http://${target}:8080`),
    ...env,
    ...Object.fromEntries(
      files.filter(([file]) => isSettingFile(file)).map(([file, path]): [string, string] => [`${file}_FILE`, path]),
    ),
  };
}

function mapValues<T>(values: Record<string, T>, to: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
}
