import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is applied to a cluster, each rendered by kustomize into one file. */
export const overlays = ['dev', 'dev/migration', 'production', 'production/migration'];

export const renderedPath = (overlay: string) => `k8s/rendered/${overlay.replace('/', '-')}.yaml`;

/**
 * The first line of a rendered file. By its hashes a test sees whether the rest of the file, or
 * anything that kustomize read for it, has changed since.
 */
export function renderedHeader(root: string, overlay: string, body: string): string {
  const hashes = `sources sha256:${sourcesHash(root)}, what follows sha256:${sha256(body)}`;
  return `# Rendered by \`npm run manifests\` from k8s/overlays/${overlay}, ${hashes}\n`;
}

function sourcesHash(root: string): string {
  const files = (readdirSync(join(root, 'k8s'), { recursive: true }) as string[]).filter(
    (path) => /\.(yaml|json)$/.test(path) && !path.startsWith('rendered/'),
  );
  return sha256(
    files
      .sort()
      .map((path) => `${path}\n${readFileSync(join(root, 'k8s', path), 'utf8')}\n`)
      .join(''),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
