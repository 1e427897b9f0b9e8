// Workspaces stay links to `libs/`, so that an image runs the files that were tested: Node strips no types below `node_modules`.
import { globSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { installedPackages, productionPackages } from './production-packages.ts';

/** `node tools/image/main.ts services/ticket`: removes everything that these workspaces do not need in production. */
function main(): void {
  // Up from tools/image/main.ts.
  const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));
  const workspaces = process.argv.slice(2);
  if (workspaces.length === 0) throw new Error('Usage: node tools/image/main.ts <workspace> …');
  const needed = productionPackages(root, workspaces);
  const own = globSync(['libs/*', 'sdk/*', 'services/*', 'tools/*', 'tests/testing'], { cwd: root }).map((path) =>
    join(root, path),
  );
  const installed = [join(root, 'node_modules'), ...own.map((path) => join(path, 'node_modules'))].flatMap(
    installedPackages,
  );
  // Links first: what they lead to is gone afterwards.
  const unneeded = installed.filter((path) => !needed.has(realpathSync(path)));
  for (const path of unneeded) rmSync(path, { recursive: true, force: true });
  for (const path of own.filter((one) => !needed.has(realpathSync(one)))) rmSync(path, { recursive: true });
  console.log(`${needed.size} packages stay, ${unneeded.length} go`);
}

main();
