import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asyncApi } from '../docs/api/asyncapi.ts';
import { readCatalogue } from '../docs/catalogue.ts';
import { describeServices } from '../docs/describe-services.ts';
import { deadLinks } from './dead-links.ts';
import { pageContent } from './page-content.ts';
import { pages } from './pages.ts';

const run = promisify(execFile);
const withinMs = 300_000;

/** The folder from which the console serves the site. */
export const builtFolder = 'services/console/reference/guide';
/** The domain events, beside the pages. */
const eventsFile = 'asyncapi.yaml';
/** Those of its pages. */
const pictures = 'docs/people/images';

/**
 * Builds the site with Astro and moves it to where the console serves it from. If another build is
 * running, waits for that instead.
 * @param root the root of the repository @returns false if another build has done it
 * @throws Error naming links that lead nowhere, or with what Astro says
 */
export async function buildGuide(root: string): Promise<boolean> {
  const site = join(root, 'tools/generate/guide/site');
  const lock = join(site, '.building');
  if (await anotherBuilt(lock)) return false;
  try {
    await buildInto(join(root, builtFolder), { root, site });
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return true;
}

/** Takes the lock, or waits until its holder is done and returns true. The lock of a killed build is taken over. */
async function anotherBuilt(lock: string): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    try {
      mkdirSync(lock);
      if (!waited) return false;
      rmSync(lock, { recursive: true, force: true });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - since > withinMs) rmSync(lock, { recursive: true, force: true });
    await delay(500);
  }
}

async function buildInto(target: string, { root, site }: { root: string; site: string }): Promise<void> {
  const content = join(site, 'src/content/docs');
  rmSync(content, { recursive: true, force: true });
  mkdirSync(content, { recursive: true });
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  for (const page of pages) writeFileSync(join(content, `${page.slug}.md`), pageContent(page, read(page.source), read));
  await build(site);
  const built = join(site, 'dist');
  cpSync(join(root, pictures), join(built, 'images'), { recursive: true });
  const dead = deadLinks(built);
  if (dead.length > 0) throw new Error(`links of the guide lead nowhere:\n${dead.join('\n')}`);
  writeFileSync(join(built, eventsFile), asyncApi(readCatalogue(root), await describeServices(root)));
  // Two renames, so that a reader hardly ever finds no guide; removing it takes longer.
  const before = join(site, 'dist-before');
  rmSync(before, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, before);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(built, target);
  rmSync(before, { recursive: true, force: true });
}

/** Whether a page, an event, or the code that builds the site, is newer than the site. */
export function isOutdated(root: string): boolean {
  const built = join(root, builtFolder, eventsFile);
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  const sources = [
    ...pages.map(({ source }) => source),
    ...globSync('sdk/webhook-verifier/{snippets,receivers}/*', { cwd: root }),
    ...globSync(['libs/contracts/**/*.{ts,json}', 'services/*/subscriptions.ts'], { cwd: root }),
    ...['pages.ts', 'page-content.ts', 'site/astro.config.mjs', 'site/src/guide.css'].map(
      (file) => `tools/generate/guide/${file}`,
    ),
  ];
  return sources.some((source) => statSync(join(root, source)).mtimeMs > builtAt);
}

async function build(site: string): Promise<void> {
  const astro = join(findPackage('astro', site), 'bin/astro.mjs');
  try {
    await run(process.execPath, [astro, 'build', '--silent'], {
      cwd: site,
      env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
      timeout: withinMs,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`Astro does not build the guide: ${stdout}${stderr}`, { cause: error });
  }
}

/** Searched by hand: the package does not export this file. */
function findPackage(name: string, from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  throw new Error(`${name} is not installed: npm ci`);
}
