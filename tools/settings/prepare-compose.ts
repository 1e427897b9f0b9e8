import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '@app/start/infra';
import { parse } from 'yaml';
import { makeSecrets } from './make-secrets.ts';

type Development = {
  services: Record<string, { environment?: Record<string, string> }>;
  networks: { outside: { ipam: { config: [{ gateway: string }] } } };
};

/** Writes what docker-compose.dev.yml needs, and the addresses by which `npm run demo` finds the platform and is found. */
export async function prepareCompose(root: string): Promise<void> {
  const folder = join(root, '.stack/compose');
  mkdirSync(folder, { recursive: true });
  makeSecrets(join(folder, 'secrets'));
  const { certFile } = await createAuthority(join(folder, 'tls'));
  // Another user reads it in the container.
  chmodSync(certFile, 0o644);
  const { services, networks } = parse(readFileSync(join(root, 'docker-compose.dev.yml'), 'utf8')) as Development;
  const urls = services['gateway']?.environment ?? {};
  const stack = {
    ticketApi: urls['PUBLIC_TICKET_API_URL'],
    tsApi: urls['PUBLIC_TS_API_URL'],
    download: urls['PUBLIC_DOWNLOAD_URL'],
    adminToken: readFileSync(join(folder, 'secrets/PLATFORM_ADMIN_TOKEN'), 'utf8').trim(),
    providerSandbox: services['connection']?.environment?.['PROVIDER_SANDBOX_URL'],
    host: networks.outside.ipam.config[0].gateway,
  };
  writeFileSync(join(folder, 'stack.json'), `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
}
