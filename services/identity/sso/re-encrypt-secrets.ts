import type { SecretBox } from '@app/runtime';
import { sealContext } from './sso-settings.ts';
import type { SsoSettingsStore } from './sso-settings-store.ts';

/** Encrypts secrets of older keys with the first key. @returns the companies whose secret no key opens */
export async function reEncryptSecrets(
  ssoSettings: Pick<SsoSettingsStore, 'all' | 'updateSecret'>,
  secrets: SecretBox,
): Promise<{ changed: number; unreadable: string[] }> {
  const result = { changed: 0, unreadable: [] as string[] };
  for await (const settings of ssoSettings.all()) {
    const { company_id: id, sealed_secret: sealed } = settings;
    if (secrets.isSealedWithCurrentKey(sealed)) continue;
    const secret = opened(secrets, sealed, sealContext(id));
    if (secret === null) result.unreadable.push(id);
    else {
      await ssoSettings.updateSecret(settings, secrets.seal(secret, sealContext(id)));
      result.changed += 1;
    }
  }
  return result;
}

function opened(secrets: SecretBox, sealed: string, context: string): string | null {
  try {
    return secrets.open(sealed, context);
  } catch {
    return null;
  }
}
