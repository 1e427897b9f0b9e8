import {
  connectMongo,
  createLogger,
  createSecretBox,
  dataSettings,
  encryptionKeys,
  loadConfig,
  type NamedKey,
  type ReEncrypted,
  reEncrypt,
  type SecretBox,
} from '@app/runtime';
import type { Connection } from 'mongoose';
import { sealedSecrets as ofConnections } from '../../../services/connection/connections/connection-store.ts';
import { sealedClientSecrets as ofCompanies } from '../../../services/identity/sso/sso-settings-store.ts';
import { sealedSecrets as ofEndpoints } from '../../../services/webhook-dispatcher/endpoints/sealed-secrets-store.ts';

export const usage = `Usage: npm run ops -- re-encrypt

Encrypts the secrets that services keep, of connections, webhook endpoints and single sign-on, with the first key of CREDENTIALS_KEYS;
after that the older keys may be removed. It may run beside the services, and again after an interruption. Secrets that no key
opens are named once all others are done, and the exit code is 1.

MONGODB_URL names the server, CREDENTIALS_KEYS the keys, NAMESPACE a prefix of the names of databases.`;

type Secrets = {
  service: string;
  things: string;
  again: (database: Connection, box: SecretBox) => Promise<ReEncrypted>;
};

/** The secrets of each service, and what they are of. */
const secrets: Secrets[] = [
  { service: 'connection', things: 'connections', again: (database, box) => reEncrypt(ofConnections(database), box) },
  {
    service: 'webhook-dispatcher',
    things: 'endpoints',
    again: (database, box) => reEncrypt(ofEndpoints(database), box),
  },
  { service: 'identity', things: 'companies', again: (database, box) => reEncrypt(ofCompanies(database), box) },
];

/** @throws ConfigError, or Error naming what no key opens */
export async function run(): Promise<void> {
  const settings = loadReEncryptSettings(process.env);
  const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level, CREDENTIALS_KEYS: keys } = settings;
  const logger = createLogger({ service: 're-encrypt', level, production: settings.NODE_ENV === 'production' });
  const complaints: string[] = [];
  for (const { service, things, again } of secrets) {
    const database = await connectMongo({ url, database: `${namespace}${service}`, logger });
    try {
      const { changed, unreadable } = await again(database, createSecretBox(keys));
      logger.info('secrets re-encrypted', { [things]: changed, key: keys[0]?.id });
      if (unreadable.length > 0) complaints.push(`no key opens the secrets of the ${things} ${unreadable.join(', ')}`);
    } finally {
      await database.close();
    }
  }
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}

/** What the command needs and no more. @throws ConfigError */
export function loadReEncryptSettings(env: NodeJS.ProcessEnv) {
  return loadConfig<{ MONGODB_URL: string; CREDENTIALS_KEYS: NamedKey[] }>(
    { MONGODB_URL: dataSettings.MONGODB_URL, CREDENTIALS_KEYS: encryptionKeys.required() },
    // The command listens nowhere; the setting is common to all programs.
    { ...env, OPS_PORT: '1' },
  );
}
