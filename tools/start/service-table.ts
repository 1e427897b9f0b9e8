import type { KeyName } from './settings/keys.ts';

/** What the launcher knows of a service. */
export type ServiceEntry = {
  name: string;
  /** The program, from the root of the repository; default `services/<name>/main.ts`. */
  program?: string;
  /** Settings that are ports, as offsets from the port base. */
  ports: Record<string, number>;
  /** Keys of `.stack/keys.json` that this service, and no other, may know. */
  keys: KeyName[];
  /** Settings that hold the address of another service, by its name. */
  addresses?: Record<string, string>;
  /**
   * Settings that hold the address of a program outside the stack: the offset of its port from the port base, and a path. It need
   * not be running. Not set in production, nor if the environment has the setting that it belongs to.
   */
  externalAddresses?: Record<string, { port: number; path?: string; belongsTo?: string }>;
  /** Defaults of its settings. */
  settings?: Record<string, string>;
  /** Defaults for development only. */
  developmentSettings?: Record<string, string>;
  /** A program in the service's folder that builds what it serves, unless it is up to date. */
  build?: string;
  /** Whether it has a database, named like the service. */
  database: boolean;
};

/** Offset of the sandbox AP provider (`tools/demo/sandbox-provider`), which is no part of the stack. */
export const sandboxPort = 20;
/** Offset of the receivers of webhooks of the demo week, which are no part of it either. */
export const receiverPort = 21;
/** Offset of the approved platform (`tools/demo/approved-platform`), which is none either. */
const approvedPlatformPort = 22;

export const serviceTable: ServiceEntry[] = [
  {
    name: 'gateway',
    ports: { TICKET_API_PORT: 0, TS_API_PORT: 1, DOWNLOAD_PORT: 2, OPS_PORT: 30 },
    keys: ['INTERNAL_TOKEN_PRIVATE_KEY'],
    addresses: {
      IDENTITY_URL: 'identity',
      TICKET_URL: 'ticket',
      PURCHASE_URL: 'purchase',
      WEBHOOK_DISPATCHER_URL: 'webhook-dispatcher',
      CONNECTION_URL: 'connection',
      INVOICE_RECONCILIATION_URL: 'invoice-reconciliation',
      CONSOLE_URL: 'console',
    },
    database: false,
  },
  {
    name: 'identity',
    ports: { PORT: 10, OPS_PORT: 31 },
    keys: ['SESSION_KEYS', 'PLATFORM_ADMIN_TOKEN', 'CREDENTIALS_KEYS'],
    addresses: { GATEWAY_URL: 'gateway' },
    developmentSettings: { SSO_ALLOW_NETWORKS: '127.0.0.0/8,::1/128' },
    database: true,
  },
  {
    name: 'ticket',
    ports: { PORT: 11, OPS_PORT: 32 },
    keys: ['DOWNLOAD_LINK_KEYS'],
    addresses: { IDENTITY_URL: 'identity' },
    database: true,
  },
  {
    name: 'purchase',
    ports: { PORT: 13, OPS_PORT: 34 },
    keys: [],
    addresses: { TICKET_URL: 'ticket' },
    database: true,
  },
  {
    name: 'webhook-dispatcher',
    ports: { PORT: 12, OPS_PORT: 33 },
    keys: ['CREDENTIALS_KEYS'],
    developmentSettings: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8,::1/128' },
    database: true,
  },
  {
    name: 'connection',
    ports: { PORT: 14, OPS_PORT: 35 },
    keys: ['CREDENTIALS_KEYS'],
    // Where `npm run demo -- sandbox` and `npm run demo` start them.
    externalAddresses: {
      PROVIDER_SANDBOX_URL: { port: sandboxPort },
      PROVIDER_AFNOR_URL: { port: approvedPlatformPort, path: '/flow-service/v1' },
      PROVIDER_AFNOR_TOKEN_URL: { port: approvedPlatformPort, path: '/auth/token', belongsTo: 'PROVIDER_AFNOR_URL' },
    },
    database: true,
  },
  {
    name: 'invoice-reconciliation',
    ports: { PORT: 15, OPS_PORT: 36 },
    keys: ['DOWNLOAD_LINK_KEYS'],
    addresses: { TICKET_URL: 'ticket', CONNECTION_URL: 'connection' },
    database: true,
  },
  {
    name: 'console',
    ports: { PORT: 16, OPS_PORT: 37 },
    keys: [],
    build: 'build.ts',
    database: false,
  },
];
