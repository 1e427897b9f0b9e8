import type { Addresses } from './environment.ts';
import type { ServiceEntry } from './service-table.ts';

export type Account = { email: string; password: string; who: string };

/** What is shown once everything is ready. */
export function summary(options: {
  addresses: Addresses;
  accounts: Account[];
  services: ServiceEntry[];
  env: NodeJS.ProcessEnv;
  seconds: number;
  /** Where `stack.json` is. */
  stackFile: string;
}): string {
  const { addresses, accounts, services, env, seconds, stackFile } = options;
  const networks = services.find(({ settings }) => settings?.['WEBHOOK_ALLOW_NETWORKS'])?.settings;
  const allowed = env['WEBHOOK_ALLOW_NETWORKS'] ? undefined : networks?.['WEBHOOK_ALLOW_NETWORKS'];
  return [
    '',
    `ready after ${seconds.toFixed(1)} s`,
    '',
    `  Ticket API   ${addresses.ticketApi}   docs ${addresses.ticketApi}/docs`,
    `  Second API   ${addresses.tsApi}   docs ${addresses.tsApi}/docs`,
    `  Downloads    ${addresses.download}   docs ${addresses.download}/docs`,
    ...(accounts.length > 0 ? ['', '  Demo accounts'] : []),
    ...accounts.map(({ email, password, who }) => `    ${email.padEnd(28)} ${password}   ${who}`),
    '',
    ...(allowed ? [`  For development, webhooks may call this machine (WEBHOOK_ALLOW_NETWORKS=${allowed}).`] : []),
    `  Addresses, the administration token and pids: ${stackFile}. Ctrl-C stops everything.`,
    '',
  ].join('\n');
}
