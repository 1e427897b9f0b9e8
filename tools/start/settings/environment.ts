import type { ServiceEntry } from '../service-table.ts';
import { type KeyName, type Keys, keyNames } from './keys.ts';

export type StackSettings = {
  base: number;
  keys: Keys;
  mongodb: string;
  amqp: string;
  /** File of additional trusted certificates; null: only those that the environment names. */
  certificates: string | null;
  /** The environment of `npm start`. It takes precedence over every default. */
  env: NodeJS.ProcessEnv;
};

export type Addresses = { ticketApi: string; tsApi: string; download: string };

/** In production no development settings are added. */
export function isProduction(env: NodeJS.ProcessEnv): boolean {
  return env['NODE_ENV'] === 'production';
}

/** The three public base addresses: PUBLIC_*, or local ones. */
export function publicAddresses(base: number, env: NodeJS.ProcessEnv): Addresses {
  const local = gatewayAddresses(base);
  return {
    ticketApi: env['PUBLIC_TICKET_API_URL'] ?? local.ticketApi,
    tsApi: env['PUBLIC_TS_API_URL'] ?? local.tsApi,
    download: env['PUBLIC_DOWNLOAD_URL'] ?? local.download,
  };
}

/** The gateway's own addresses on this machine. */
export function gatewayAddresses(base: number): Addresses {
  return { ticketApi: localUrl(base), tsApi: localUrl(base + 1), download: localUrl(base + 2) };
}

/**
 * The environment of one service: ours, its ports, MongoDB, RabbitMQ, and the keys that it may know. A variable that is
 * set to an empty text counts as set: the service takes it as empty or refuses it by name.
 */
export function serviceEnvironment(
  entry: ServiceEntry,
  services: ServiceEntry[],
  settings: StackSettings,
): NodeJS.ProcessEnv {
  const { base, keys, env, certificates } = settings;
  const addresses = publicAddresses(base, env);
  const defaults = {
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    // There is one replica of each service, and nothing that would send requests to another.
    DRAIN_DELAY: '0s',
    PUBLIC_TICKET_API_URL: addresses.ticketApi,
    PUBLIC_TS_API_URL: addresses.tsApi,
    PUBLIC_DOWNLOAD_URL: addresses.download,
    PUBLIC_CONSOLE_URL: `${addresses.tsApi}/console`,
    ...entry.settings,
    ...otherServices(entry, services, base),
    ...(isProduction(env) ? {} : { ...entry.developmentSettings, ...externalAddresses(entry, base, env) }),
  };
  const ports = Object.entries(entry.ports).map(([name, offset]) => [name, String(base + offset)]);
  const own: KeyName[] = [...entry.keys, 'INTERNAL_TOKEN_PUBLIC_KEYS'];
  return {
    ...defaults,
    ...withoutKeys(env),
    ...Object.fromEntries(ports),
    ...Object.fromEntries(own.map((name) => [name, keys[name]])),
    MONGODB_URL: settings.mongodb,
    AMQP_URL: settings.amqp,
    ...(certificates === null ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

function otherServices(entry: ServiceEntry, services: ServiceEntry[], base: number): Record<string, string> {
  const urls = Object.entries(entry.addresses ?? {}).flatMap(([setting, name]) => {
    const ports = services.find((service) => service.name === name)?.ports;
    // The gateway is called as the ticket API.
    const offset = ports?.['PORT'] ?? ports?.['TICKET_API_PORT'];
    return offset === undefined ? [] : [[setting, localUrl(base + offset)]];
  });
  return Object.fromEntries(urls);
}

/** Without those that belong to another program, where the environment names one. */
function externalAddresses(
  { externalAddresses: addresses = {} }: ServiceEntry,
  base: number,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const own = Object.entries(addresses).filter(([, { belongsTo = '' }]) => env[belongsTo] === undefined);
  return Object.fromEntries(own.map(([setting, { port, path = '' }]) => [setting, localUrl(base + port) + path]));
}

/** The address of a program outside the stack, by the setting that holds it; null if the stack does not call it. */
export function externalAddress(
  setting: string,
  services: ServiceEntry[],
  { base, env }: Pick<StackSettings, 'base' | 'env'>,
): string | null {
  const caller = services.find(({ externalAddresses: addresses }) => addresses?.[setting] !== undefined);
  if (!caller) return null;
  return env[setting] ?? (isProduction(env) ? null : (externalAddresses(caller, base, env)[setting] ?? null));
}

/** Removes all keys, so that each reaches only the services that need it. */
function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !(keyNames as readonly string[]).includes(name)));
}

function localUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}
