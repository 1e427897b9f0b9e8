import { execFile } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pages } from '../../tools/guide/pages.ts';
import { read, root } from './manifest-settings.ts';

const run = promisify(execFile);

/** A rule of .dockerignore, as Docker reads it: `*` stays within a folder, what is below a match is matched, `/` at the end says nothing. */
function matcherOf(pattern: string): RegExp {
  const inFolder = (part: string) => part.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  return new RegExp(`^${pattern.replace(/\/$/, '').split('**/').map(inFolder).join('(?:.*/)?')}(?:/.*)?$`);
}

/** What Docker would send to the builder of an image: the last rule that matches a file decides. */
async function filesOfContext(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({ includes: line.startsWith('!'), matcher: matcherOf(line.replace(/^!/, '')) }));
  const isSent = (file: string) => rules.findLast(({ matcher }) => matcher.test(file))?.includes ?? true;
  return stdout.split('\n').filter((file) => file && isSent(file));
}

/** The packages that `npm ci` installs: links to workspaces lead into the copy, all others to what is installed here. */
function linkPackages(folder: string, copy: string): void {
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(folder)) {
    const installed = join(folder, name);
    if (name.startsWith('@')) linkPackages(installed, join(copy, name));
    else symlinkSync(lstatSync(installed).isSymbolicLink() ? readlinkSync(installed) : installed, join(copy, name));
  }
}

describe('the context of the images', () => {
  let files: string[] = [];
  let copy = '';

  beforeAll(async () => {
    files = await filesOfContext();
    copy = mkdtempSync(join(tmpdir(), 'image-context-'));
    for (const file of files) cpSync(join(root, file), join(copy, file), { recursive: true });
    const { stdout } = await run('git', ['ls-files', '*package.json'], { cwd: root });
    for (const workspace of stdout.split('\n').filter(Boolean).map(dirname))
      if (lstatSync(join(root, workspace, 'node_modules'), { throwIfNoEntry: false }))
        linkPackages(join(root, workspace, 'node_modules'), join(copy, workspace, 'node_modules'));
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test('has no secrets, data, tests or manifests', () => {
    expect(files.length).toBeGreaterThan(100);
    const top = new Set(files.map((file) => file.split('/')[0]));
    const sources = ['.npmrc', 'package-lock.json', 'package.json', 'tsconfig.base.json', 'libs', 'services', 'tools'];
    expect([...top].sort()).toEqual([...sources, 'CHANGELOG.md', 'docs'].sort());
    expect(files.filter((file) => /(^|\/)(test|node_modules|secrets|\.stack|k8s)\//.test(file))).toEqual([]);
  });

  test('is enough to build the pages of the console', async () => {
    await run(process.execPath, ['services/console/build.ts', '--force'], { cwd: copy });
    expect(await readFile(join(copy, 'services/console/dist/console/index.html'), 'utf8')).toContain('<script');
  });

  // Not built here: Astro does not work with packages that are links.
  test('has every page and picture of the guide', () => {
    const pictures = readdirSync(join(root, 'docs/people/images')).map((name) => `docs/people/images/${name}`);
    const sources = [...pages.map(({ source }) => source), ...pictures, 'tools/guide/site/astro.config.mjs'];
    expect(sources.filter((source) => !files.includes(source))).toEqual([]);
  });
});
