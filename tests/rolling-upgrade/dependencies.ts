import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

type Lock = { packages: Record<string, { link?: boolean; dev?: boolean }> };
type Folders = { from: string; to: string };

const folders = ['libs', 'services', 'tools'];
/** Packages below others come with them. Those of other systems are in the lock file and not installed. */
const isTopLevel = /^node_modules\/(@[^/]+\/)?[^/]+$/;
const installWithinMs = 600_000;

/**
 * Gives a checked out version its packages: those that are installed here if both lock files name the same ones, else its own
 * (`npm ci`).
 */
export async function installDependencies({ from, to, say }: Folders & { say(line: string): void }): Promise<void> {
  const [own, other] = [from, to].map(
    (root) => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock,
  );
  if (samePackages(own as Lock, other as Lock)) return linkDependencies({ from, to, lock: own as Lock });
  say('the version before has other packages: npm ci');
  const options = ['--prefer-offline', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: to, timeout: installWithinMs });
}

/** Whether both name the same packages of others in production; our workspaces come with the code. */
function samePackages(one: Lock, other: Lock): boolean {
  return JSON.stringify(packagesOf(one)) === JSON.stringify(packagesOf(other));
}

function packagesOf({ packages }: Lock) {
  return Object.entries(packages)
    .filter(([path, { link, dev }]) => path.includes('node_modules/') && !link && !dev)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A link to `node_modules` itself would lead to the workspaces of this version. */
function linkDependencies({ from, to, lock }: Folders & { lock: Lock }): void {
  for (const [path] of packagesOf(lock))
    if (isTopLevel.test(path) && existsSync(join(from, path))) link(from, to, path);
  for (const workspace of workspacesOf(to)) {
    const { name } = JSON.parse(readFileSync(join(to, workspace, 'package.json'), 'utf8')) as { name: string };
    const path = join(to, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(to, workspace), path);
    const nested = join(workspace, 'node_modules');
    if (existsSync(join(from, nested))) link(from, to, nested);
  }
}

function link(from: string, to: string, path: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  symlinkSync(join(from, path), join(to, path));
}

function workspacesOf(root: string): string[] {
  const all = folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)));
  return all.filter((workspace) => existsSync(join(root, workspace, 'package.json')));
}
