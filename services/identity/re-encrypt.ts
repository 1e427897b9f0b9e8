import { connectMongo, createLogger, createSecretBox } from '@app/runtime';
import { loadReEncryptSettings } from './config.ts';
import { reEncryptSecrets } from './sso/re-encrypt-secrets.ts';
import { createSsoSettingsStore } from './sso/sso-settings-store.ts';

/**
 * Encrypts the client secrets of single sign-on with the first of CREDENTIALS_KEYS; after that the older keys may be
 * removed. It may run beside the service, and again after an interruption. Secrets that no key opens are named at the
 * end, and the command fails.
 */
async function reEncrypt(): Promise<void> {
  const config = loadReEncryptSettings();
  const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level, CREDENTIALS_KEYS: keys } = config;
  const logger = createLogger({ service: 're-encrypt', level, production: config.NODE_ENV === 'production' });
  const connection = await connectMongo({ url, database: `${namespace}identity`, logger });
  try {
    const ssoSettings = createSsoSettingsStore({ connection });
    const { changed, unreadable } = await reEncryptSecrets(ssoSettings, createSecretBox(keys));
    logger.info('client secrets re-encrypted', { changed, key: keys[0]?.id });
    if (unreadable.length > 0)
      throw new Error(`no key opens the client secrets of the companies ${unreadable.join(', ')}`);
  } finally {
    await connection.close();
  }
}

reEncrypt().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
