import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is applied to a cluster, each rendered by kustomize into one file. */
export const overlays = ['dev', 'dev/migration', 'production', 'production/migration'];

export const renderedPath = (overlay: string) => `k8s/rendered/${overlay.replace('/', '-')}.yaml`;

/** Of everything that kustomize reads: a rendered file says which sources it is of. */
export function sourcesHash(root: string): string {
  const hash = createHash('sha256');
  const files = (readdirSync(join(root, 'k8s'), { recursive: true }) as string[]).filter(
    (path) => /\.(yaml|json)$/.test(path) && !path.startsWith('rendered/'),
  );
  for (const path of files.sort()) hash.update(`${path}\n${readFileSync(join(root, 'k8s', path), 'utf8')}\n`);
  return hash.digest('hex');
}
