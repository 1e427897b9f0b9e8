import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verbs as demo } from '../tools/demo/verbs.ts';
import { verbs as docs } from '../tools/generate/verbs.ts';
import { verbs as ops } from '../tools/ops/verbs.ts';
import { verbs as drill } from './drill/verbs.ts';

/** The scripts that take a verb. */
const programs: Record<string, object> = { demo, docs, drill, ops };
const root = join(__dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = [
  '.',
  'docs',
  'docs/contributing',
  'docs/decisions',
  ...['libs', 'services', 'tools'].flatMap((part) => readdirSync(join(root, part)).map((name) => `${part}/${name}`)),
  'tools/demo/approved-platform',
  'tools/demo/sandbox-provider',
].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

test.each(pages)('every link of %s leads somewhere', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  const broken = links.filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(page, '..', path);
    if (/^https?:/.test(target)) return false;
    return !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
  expect(broken).toEqual([]);
});

/** The anchors that GitHub derives from headings. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('every file that %s names is there', (page) => {
  const named = [...read(page).matchAll(/`([\w.-]+\/[^`\s]*)`/g)].map(([, path = '']) => path);
  const plain = named.filter((path) => !/[<>{}*…]/.test(path));
  const fromRoot = plain.filter((path) => /^(?:libs|services|tools|tests|docs)\//.test(path));
  // A README names files of its folder without the way to it; others also name files of the paragraph's folder.
  const fromFolder = plain.filter(
    (path) => page.endsWith('README.md') && /^\w.*\.tsx?$/.test(path) && !fromRoot.includes(path),
  );
  // A recipe names files of the folders that it names.
  const folders = fromRoot.filter((path) => page.startsWith('docs/contributing/') && path.endsWith('/'));
  const fromFolders = plain.filter((path) => folders.length > 0 && /\.tsx?$/.test(path) && !fromRoot.includes(path));
  const missing = [
    ...fromFolders.filter((path) => !folders.some((folder) => existsSync(join(root, folder, path)))),
    ...fromRoot.filter((path) => !existsSync(join(root, path))),
    ...fromFolder.filter((path) => !existsSync(join(root, page, '..', path))),
  ];
  expect(missing).toEqual([]);
});

test('CONTRIBUTING.md leads to every recipe', () => {
  const linked = [...read('CONTRIBUTING.md').matchAll(/\]\((docs\/contributing\/.*?)\)/g)].map(([, path]) => path);
  expect(linked.toSorted()).toEqual(pages.filter((page) => page.startsWith('docs/contributing/')).toSorted());
});

test('every decision is cited by what it governs, and every one that is cited is there', () => {
  const cited = execFileSync('git', ['grep', '-hoE', 'decisions/[a-z0-9-]+\\.md', '--', '.', ':!docs/decisions'], {
    cwd: root,
    encoding: 'utf8',
  });
  const decisions = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
  expect([...new Set(cited.trim().split('\n'))].toSorted()).toEqual(
    decisions.map((name) => `decisions/${name}`).toSorted(),
  );
});

test.each(pages.filter((page) => page.startsWith('docs/decisions/') && !page.endsWith('README.md')))(
  '%s is half a page',
  (page) => {
    expect(read(page).split(/\s+/).length).toBeLessThanOrEqual(250);
  },
);

test.each(pages)('every command that %s names is in package.json', (page) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = [...read(page).matchAll(/npm (?:run )?([a-z-]+)/g)].map(([, name = '']) => name);
  const builtIn = ['ci', 'install'];
  expect(named.filter((name) => !builtIn.includes(name) && !(name in scripts))).toEqual([]);
  const verbs = [...read(page).matchAll(/npm run ([a-z]+) -- ([a-z][a-z-]*)/g)].map(([, script = '', verb]) => [
    script,
    verb,
  ]);
  expect(verbs.filter(([script = '', verb = '']) => script in programs && !(verb in (programs[script] ?? {})))).toEqual(
    [],
  );
});

test('docs/metrics.md names every metric that the code has, and no other', () => {
  const sources = ['libs', 'services'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((path) => path.endsWith('.ts') && !path.split('/').includes('test') && !path.includes('node_modules'))
      .map((path) => read(join(folder, path))),
  );
  const inCode = sources
    .filter((source) => /from 'prom-client'|durationHistogram\(|gaugeOnScrape\(/.test(source))
    .flatMap((source) => [...source.matchAll(/^ +name: '([a-z_]+)',\n +help:/gm)].map(([, name]) => name));
  const documented = [...read('docs/metrics.md').matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name);
  expect(inCode.length).toBeGreaterThan(5);
  expect(documented.toSorted()).toEqual(inCode.toSorted());
});
