import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '@app/infra';
import { UsageError } from './arguments.ts';
import { isProduction } from './environment.ts';

/**
 * The file of certificates that services trust besides the public ones: the development authority of this stack
 * (`.stack/tls/ca.pem`), by which local receivers of webhooks get certificates, and the user's own. Null in production,
 * where the user's own are all that is trusted besides.
 */
export async function trustedCertificates(stackDir: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (isProduction(env)) return null;
  const authority = await createAuthority(join(stackDir, 'tls'));
  const own = env['NODE_EXTRA_CA_CERTS'];
  const bundle = join(stackDir, 'tls', 'trusted.pem');
  writeFileSync(bundle, `${own ? `${readOwn(own)}\n` : ''}${authority.cert}`);
  return bundle;
}

function readOwn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`NODE_EXTRA_CA_CERTS names ${path}, which cannot be read.`);
  }
}
