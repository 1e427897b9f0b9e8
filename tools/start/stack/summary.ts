import type { Account } from '@app/demo';
import type { ServiceEntry } from '../service-table.ts';
import { type Addresses, isProduction } from '../settings/environment.ts';

/** The security settings that are relaxed for development, or that none is. */
export function securityNotes(services: ServiceEntry[], env: NodeJS.ProcessEnv): string[] {
  if (isProduction(env)) {
    return [
      'NODE_ENV=production: webhooks reach public addresses alone, no sandbox provider is set, no development certificate',
      'is trusted, and there is no demo data. WEBHOOK_ALLOW_NETWORKS, PROVIDER_SANDBOX_URL, NODE_EXTRA_CA_CERTS say otherwise.',
    ];
  }
  if (env['WEBHOOK_ALLOW_NETWORKS'] !== undefined) return [];
  const networks = services.flatMap(({ developmentSettings: given }) => given?.['WEBHOOK_ALLOW_NETWORKS'] ?? []);
  return networks.map((some) => `For development, webhooks may call this machine (WEBHOOK_ALLOW_NETWORKS=${some}).`);
}

/** The text that is shown once everything is ready. */
export function summary(options: {
  addresses: Addresses;
  accounts: Account[];
  services: ServiceEntry[];
  env: NodeJS.ProcessEnv;
  /** Where `stack.json` is. */
  stackFile: string;
}): string {
  const { addresses, accounts, services, env, stackFile } = options;
  return [
    '',
    ...(services.some(({ name }) => name === 'console') ? [`  Console      ${addresses.tsApi}/console`] : []),
    `  Ticket API   ${addresses.ticketApi}   docs ${addresses.ticketApi}/docs`,
    `  Second API   ${addresses.tsApi}   docs ${addresses.tsApi}/docs`,
    `  Downloads    ${addresses.download}   docs ${addresses.download}/docs`,
    `  Guide        ${addresses.tsApi}/guide`,
    ...(accounts.length > 0 ? ['', '  Demo accounts'] : []),
    ...accounts.map(({ email, password, who }) => `    ${email.padEnd(28)} ${password}   ${who}`),
    '',
    ...securityNotes(services, env).map((line) => `  ${line}`),
    `  Addresses, the administration token and pids: ${stackFile}. Ctrl-C stops everything.`,
    '',
  ].join('\n');
}
