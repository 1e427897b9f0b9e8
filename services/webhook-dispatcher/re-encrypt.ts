import { connectMongo, createLogger, createSecretBox } from '@app/runtime';
import { loadReEncryptSettings } from './config.ts';
import { reEncryptSecrets } from './endpoints/re-encrypt-secrets-store.ts';

/**
 * Encrypts the secrets of all webhook endpoints with the first of CREDENTIALS_KEYS; after that the older keys may be removed.
 * It may run beside the service, and again after an interruption. Secrets that no key opens are named, and fail the command
 * when all others are done.
 */
async function reEncrypt(): Promise<void> {
  const config = loadReEncryptSettings();
  const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level, CREDENTIALS_KEYS: keys } = config;
  const logger = createLogger({ service: 're-encrypt', level, production: config.NODE_ENV === 'production' });
  const connection = await connectMongo({ url, database: `${namespace}webhook-dispatcher`, logger });
  try {
    const { endpoints, unreadable } = await reEncryptSecrets(connection, createSecretBox(keys));
    logger.info('webhook endpoints re-encrypted', { endpoints, key: keys[0]?.id });
    if (unreadable.length > 0) throw new Error(`no key opens the secrets of the endpoints ${unreadable.join(', ')}`);
  } finally {
    await connection.close();
  }
}

reEncrypt().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
