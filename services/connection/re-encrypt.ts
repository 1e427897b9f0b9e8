import { connectMongo, createLogger, createSecretBox } from '@app/runtime';
import { loadReEncryptSettings } from './config.ts';
import { ConnectionStore } from './connections/connection-store.ts';

/**
 * Seals the secrets of every connection again with the first of CREDENTIALS_KEYS, so that the older keys can be removed. Safe
 * beside the running service, and safe to repeat: secrets sealed with the first key are skipped.
 */
async function reEncrypt(): Promise<void> {
  const settings = loadReEncryptSettings();
  const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level, CREDENTIALS_KEYS: keys } = settings;
  const logger = createLogger({ service: 're-encrypt', level, production: settings.NODE_ENV === 'production' });
  const database = await connectMongo({ url, database: `${namespace}connection`, logger });
  try {
    const connections = new ConnectionStore({ database, secrets: createSecretBox(keys) });
    logger.info('connections re-encrypted', { connections: await connections.reEncrypt(), key: keys[0]?.id });
  } finally {
    await database.close();
  }
}

reEncrypt().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
