import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { generateManifests } from './manifests.ts';
import { overlays, renderedHeader, renderedPath } from './rendered-overlays.ts';

// Up from tools/kubernetes/main.ts.
const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  console.log(`wrote ${path}`);
}

/** By `kustomize`, or by the one in `kubectl`. @throws Error if neither is installed */
function render(overlay: string): string {
  const folder = join(root, 'k8s/overlays', overlay);
  for (const [program, command] of [
    ['kustomize', 'build'],
    ['kubectl', 'kustomize'],
  ] as const) {
    try {
      return execFileSync(program, [command, folder], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('the manifests are written, but not rendered: install kustomize or kubectl, and run this again');
}

try {
  for (const [path, content] of generateManifests()) write(path, content);
  for (const overlay of overlays) {
    const body = render(overlay);
    write(renderedPath(overlay), renderedHeader(root, overlay, body) + body);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
