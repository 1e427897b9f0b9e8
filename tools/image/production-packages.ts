import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Manifest = {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

/**
 * The folders of all packages that these workspaces need in production, their own included. `npm ci --omit=dev` leaves more: it
 * counts a workspace that another one needs for tests alone, and what that needs.
 */
export function productionPackages(root: string, workspaces: string[]): Set<string> {
  const found = new Set<string>();
  const next = workspaces.map((workspace) => realpathSync(join(root, workspace)));
  for (let folder = next.pop(); folder !== undefined; folder = next.pop()) {
    if (found.has(folder)) continue;
    found.add(folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest;
    for (const name of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      const installed = findPackage(folder, name);
      if (installed) next.push(installed);
      // Optional ones, and peers that are, may be missing.
      else if (name in dependencies && !(name in optionalDependencies))
        throw new Error(`${folder} needs ${name}, which is not installed`);
    }
  }
  return found;
}

/** The folder from which Node loads a package that a file in `folder` imports. */
function findPackage(folder: string, name: string): string | null {
  for (let above = folder; ; above = dirname(above)) {
    const candidate = join(above, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (above === dirname(above)) return null;
  }
}

/** The paths of everything that is installed in a `node_modules` folder, links not followed; nested ones included. */
export function installedPackages(modules: string): string[] {
  if (!existsSync(modules)) return [];
  const entries = readdirSync(modules, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  return entries.flatMap((entry) => {
    const path = join(modules, entry.name);
    if (entry.name.startsWith('@')) return installedPackages(path);
    return entry.isSymbolicLink() ? [path] : [path, ...installedPackages(join(path, 'node_modules'))];
  });
}
