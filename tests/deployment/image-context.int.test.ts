import { execFile } from 'node:child_process';
import { type Dirent, globSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { pages } from '../../tools/generate/guide/pages.ts';
import { read, root } from './manifest-settings.ts';

const run = promisify(execFile);

/** A rule of .dockerignore, as Docker reads it: `*` stays within a folder, what is below a match is matched, `/` at the end says nothing. */
function matcherOf(pattern: string): RegExp {
  const inFolder = (part: string) => part.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  return new RegExp(`^${pattern.replace(/\/$/, '').split('**/').map(inFolder).join('(?:.*/)?')}(?:/.*)?$`);
}

const pathOf = ({ parentPath, name }: Dirent) => join(parentPath, name);

/** What Docker would send to the builder of an image: the last rule that matches a file decides. */
function filesOfContext(): string[] {
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({ includes: line.startsWith('!'), matcher: matcherOf(line.replace(/^!/, '')) }));
  const isSent = (path: string) => rules.findLast(({ matcher }) => matcher.test(path))?.includes ?? true;
  const large = ['.git', '.stack', 'node_modules'].map((name) => join(root, name));
  // It does not mind folders that other tests remove meanwhile.
  const all = ['**', '**/.*', '**/.*/**'];
  const found = globSync(all, { cwd: root, withFileTypes: true, exclude: (one) => large.includes(pathOf(one)) });
  return found.flatMap((one) => (one.isFile() ? [relative(root, pathOf(one))] : [])).filter(isSent);
}

describe('the context of the images', () => {
  const files = filesOfContext();
  const missing = (sources: string[]) => sources.filter((source) => !files.includes(source));

  test('has no secrets, data, tests or manifests', () => {
    expect(files.length).toBeGreaterThan(100);
    const top = new Set(files.map((file) => file.split('/')[0]));
    const sources = [
      '.npmrc',
      'package-lock.json',
      'package.json',
      'tsconfig.base.json',
      'libs',
      'sdk',
      'services',
      'tools',
    ];
    expect([...top].sort()).toEqual([...sources, 'CHANGELOG.md', 'docs', 'tests'].sort());
    expect(files.filter((file) => file.startsWith('tests/'))).toEqual(['tests/testing/package.json']);
    expect(files.filter((file) => /(^|\/)(test|node_modules|secrets|\.stack|k8s)\//.test(file))).toEqual([]);
  });

  test('is enough to build the pages of the console', async () => {
    const { stdout } = await run(process.execPath, [join(__dirname, 'programs/console-sources.ts')]);
    const sources = (JSON.parse(stdout) as string[]).map((path) => relative(root, path));
    const own = sources.filter((path) => /^(services|libs|sdk|tools)\//.test(path) && !path.includes('node_modules/'));
    expect(own.length).toBeGreaterThan(200);
    const folder = 'services/console';
    const ofBuild = ['build.ts', 'vite-config.ts', 'package.json', 'src/tsconfig.json', 'public/icon.svg'].map(
      (name) => `${folder}/${name}`,
    );
    expect(missing([...own, ...ofBuild])).toEqual([]);
  });

  // Not built here: Astro does not work with packages that are links.
  test('has every page and picture of the guide', () => {
    const pictures = readdirSync(join(root, 'docs/people/images')).map((name) => `docs/people/images/${name}`);
    const sources = [...pages.map(({ source }) => source), ...pictures, 'tools/generate/guide/site/astro.config.mjs'];
    expect(missing(sources)).toEqual([]);
  });
});
