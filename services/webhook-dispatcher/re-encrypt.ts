import { connectMongo, createLogger, createSecretBox } from '@app/runtime';
import { loadReEncryptSettings } from './config.ts';
import { sealAnew } from './endpoint-secret-store.ts';

/**
 * Seals the secrets of every webhook endpoint anew under the first of CREDENTIALS_KEYS; after that the older keys may go. It may
 * run beside the service and again after an interruption: what is sealed by the first key is left alone. What no key
 * opens is named, and fails the command once all others are done.
 */
async function reEncrypt(): Promise<void> {
  const config = loadReEncryptSettings();
  const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level, CREDENTIALS_KEYS: keys } = config;
  const logger = createLogger({ service: 're-encrypt', level, production: config.NODE_ENV === 'production' });
  const connection = await connectMongo({ url, database: `${namespace}webhook-dispatcher`, logger });
  try {
    const { endpoints, unreadable } = await sealAnew(connection, createSecretBox(keys));
    logger.info('webhook endpoints sealed anew', { endpoints, key: keys[0]?.id });
    if (unreadable.length > 0) throw new Error(`no key opens the secrets of the endpoints ${unreadable.join(', ')}`);
  } finally {
    await connection.close();
  }
}

reEncrypt().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
