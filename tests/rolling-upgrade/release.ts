import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nameOf, operationsOf } from '../e2e/every-operation/operations.ts';

const execute = promisify(execFile);
/** Its own packages: a link to those of this version would lead to the workspaces of this version. */
const install = ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
const installWithinMs = 600_000;

/** The code of one version. */
export type Release = { code: string; name: string };

/** `title`: its commit, with the subject. */
export type CheckedOut = Release & { title: string; remove(): Promise<void> };

/** Checks a commit out into a folder of its own (`git worktree`), with its packages. @throws Error saying what to do */
export async function checkOut(options: {
  root: string;
  commit: string;
  dir: string;
  say: (line: string) => void;
}): Promise<CheckedOut> {
  const { root, commit, dir, say } = options;
  const git = (...args: string[]) => execute('git', args, { cwd: root });
  if (!existsSync(join(root, '.git')))
    throw new Error(`${root} is no clone with git: the version before is taken from the history of the repository.`);
  const found = await git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`).catch(() => null);
  if (!found) throw new Error(await missing(commit, git));
  await git('worktree', 'add', '--detach', dir, found.stdout.trim());
  const remove = async () => void (await git('worktree', 'remove', '--force', dir));
  try {
    say('npm ci of the version before');
    await execute('npm', install, { cwd: dir, timeout: installWithinMs });
    await execute('npm', ['run', 'docs', '--', 'types'], { cwd: dir, timeout: installWithinMs });
    const { stdout } = await git('log', '-1', '--format=%h %s', found.stdout.trim());
    const title = stdout.trim();
    return { code: dir, name: title.split(' ')[0] as string, title, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The names of the operations that a version documents. No process of its console is started, which would serve them. */
export function operationNames({ code }: Release): Set<string> {
  const read = (host: string) =>
    JSON.parse(readFileSync(join(code, `services/console/reference/openapi/${host}.json`), 'utf8'));
  return new Set((['ticket', 'ts'] as const).flatMap((host) => operationsOf(host, read(host))).map(nameOf));
}

async function missing(commit: string, git: (...args: string[]) => Promise<{ stdout: string }>): Promise<string> {
  const { stdout } = await git('rev-parse', '--is-shallow-repository');
  if (stdout.trim() !== 'true') return `This repository has no commit ${commit}.`;
  return [
    `The history of this clone is cut off before the commit ${commit}, which is the version to upgrade from.`,
    'Fetch it: git fetch --unshallow. A CI clones with its whole history (GitHub: `fetch-depth: 0` of actions/checkout).',
  ].join('\n');
}
