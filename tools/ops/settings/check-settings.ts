import { internalTokenSigner, internalTokenVerifier } from '@app/http';
import { ConfigError } from '@app/runtime';
import { type ServiceName, serviceSettings } from './service-settings.ts';

/** An `error` stops a start or breaks the platform; a `warning` is what production hardly wants. Of no service: of all together. */
export type Finding = { level: 'error' | 'warning'; sentence: string; services: ServiceName[] };

/**
 * Checks the environment of each service against what it needs in production, as it does itself at its start. Starts nothing.
 * @returns each sentence once
 */
export async function checkSettings(
  services: readonly ServiceName[],
  environmentOf: (service: ServiceName) => NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const findings = new Map<string, Finding>();
  const add = (level: Finding['level'], sentence: string, service: ServiceName) => {
    const found = findings.get(sentence);
    if (found) found.services.push(service);
    else findings.set(sentence, { level, sentence, services: [service] });
  };
  const loaded: Record<string, unknown> = {};
  for (const name of services) {
    try {
      const settings = serviceSettings[name].loadSettings({ ...environmentOf(name), NODE_ENV: 'production' });
      Object.assign(loaded, settings);
      for (const sentence of warningsOf(settings)) add('warning', sentence, name);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const line of error.message.split('\n').slice(1)) add('error', line.trim(), name);
    }
  }
  const together = (await errorsTogether(loaded)).map(
    (sentence): Finding => ({ level: 'error', sentence, services: [] }),
  );
  return [...findings.values(), ...together];
}

/** Settings of two services that have to fit each other. */
async function errorsTogether(loaded: Record<string, unknown>): Promise<string[]> {
  const { INTERNAL_TOKEN_PRIVATE_KEY: signing, INTERNAL_TOKEN_PUBLIC_KEYS: verifying } = loaded;
  if (typeof signing !== 'string' || typeof verifying !== 'string') return [];
  try {
    const token = await internalTokenSigner(signing)({ kind: 'service', service: 'gateway' }, ['identity']);
    await internalTokenVerifier(verifying, { audience: 'identity' })(token);
    return [];
  } catch {
    return ['INTERNAL_TOKEN_PUBLIC_KEYS does not hold the public part of INTERNAL_TOKEN_PRIVATE_KEY'];
  }
}

type Doubt = { name: string; isDoubtful: (value: unknown) => boolean; sentence: string };

const isPlain = (scheme: string) => (value: unknown) => typeof value === 'string' && value.startsWith(scheme);
const hasNoPassword = (value: unknown) => typeof value === 'string' && !/^[^/]+\/\/[^/@]+@/.test(value);
/** An address of MongoDB: the driver speaks TLS if the address says so, or names a host by SRV and does not say no. */
function mongoHasNoTls(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const said = /[?&](?:tls|ssl)=(\w+)/.exec(value)?.[1];
  return said === undefined ? !value.startsWith('mongodb+srv:') : said !== 'true';
}
const seen = 'is spoken without TLS: whoever sees this network reads it. Right only where nobody else is on it';

const doubts: Doubt[] = [
  ...['PUBLIC_TICKET_API_URL', 'PUBLIC_TS_API_URL', 'PUBLIC_DOWNLOAD_URL'].map((name) => ({
    name,
    isDoubtful: isPlain('http:'),
    sentence: 'is plain http: credentials and cookies travel unencrypted',
  })),
  {
    name: 'MONGODB_URL',
    isDoubtful: hasNoPassword,
    sentence: 'names no user: whoever reaches MongoDB reads everything',
  },
  { name: 'MONGODB_URL', isDoubtful: mongoHasNoTls, sentence: `has no tls=true and ${seen}, as in docker-compose.yml` },
  { name: 'RATE_LIMIT_STORE_URL', isDoubtful: mongoHasNoTls, sentence: `has no tls=true and ${seen}` },
  { name: 'AMQP_URL', isDoubtful: hasNoPassword, sentence: 'names no user: whoever reaches RabbitMQ may publish' },
  { name: 'AMQP_URL', isDoubtful: isPlain('amqp:'), sentence: `is amqp:// and ${seen}, as in docker-compose.yml` },
  {
    name: 'WEBHOOK_ALLOW_NETWORKS',
    isDoubtful: (value) => Array.isArray(value) && value.length > 0,
    sentence: 'lets every company call these networks by its webhooks',
  },
  {
    name: 'SSO_ALLOW_NETWORKS',
    isDoubtful: (value) => Array.isArray(value) && value.length > 0,
    sentence: 'lets every company call these networks by its single sign-on',
  },
  {
    name: 'PROVIDER_SANDBOX_URL',
    isDoubtful: (value) => typeof value === 'string' && value !== '',
    sentence: 'offers the sandbox provider, which anybody can connect to',
  },
];

function warningsOf(settings: Record<string, unknown>): string[] {
  return doubts.flatMap(({ name, isDoubtful, sentence }) =>
    isDoubtful(settings[name]) ? [`${name} ${sentence}`] : [],
  );
}
