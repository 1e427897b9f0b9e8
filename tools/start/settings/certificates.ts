import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, UsageError } from '../infra/index.ts';
import { isProduction } from './environment.ts';

/**
 * Writes the file of certificates that services trust besides the public ones: the stack's development authority
 * (`.stack/tls/ca.pem`), which issues certificates for local webhook receivers, and the user's NODE_EXTRA_CA_CERTS.
 * @returns its path; null in production, where only the user's own file applies
 * @throws UsageError if the user's file cannot be read
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
