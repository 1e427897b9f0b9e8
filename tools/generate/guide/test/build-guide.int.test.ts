import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventTypes } from '@app/contracts';
import { parse } from 'yaml';
import { buildGuide, builtFolder, isOutdated } from '../build-guide.ts';
import { deadLinks } from '../dead-links.ts';
import { pages } from '../pages.ts';

const root = join(__dirname, '../../../..');
const built = join(root, builtFolder);
const read = (path: string) => readFile(join(built, path), 'utf8');

beforeAll(async () => {
  if (isOutdated(root)) await buildGuide(root);
});

test('the site has every page, with its text', async () => {
  for (const { slug, title } of pages) {
    const html = await read(slug === 'index' ? 'index.html' : `${slug}/index.html`);
    expect(html).toMatch(new RegExp(`<h1[^>]*>${title}</h1>`));
    expect(html.length).toBeGreaterThan(5_000);
  }
  expect(isOutdated(root)).toBe(false);
});

test('the AsyncAPI document beside them has every domain event', async () => {
  const { asyncapi, channels } = parse(await read('asyncapi.yaml'));
  expect([asyncapi, Object.keys(channels).sort()]).toEqual(['3.0.0', [...eventTypes.keys()].sort()]);
});

test('each error code is an anchor of the page of errors: doc_url leads there', async () => {
  const codes = [...(await readFile(join(root, 'docs/errors.md'), 'utf8')).matchAll(/^## (\w+)$/gm)].map(
    ([, code]) => code,
  );
  const html = await read('errors/index.html');
  expect(codes.length).toBeGreaterThan(90);
  expect(codes.filter((code) => !html.includes(` id="${code}"`))).toEqual([]);
});

test('a link that leads nowhere is found: another page, an anchor, a file', async () => {
  expect(deadLinks(built)).toEqual([]);
  const folder = await mkdtemp(join(tmpdir(), 'guide-'));
  await cp(built, folder, { recursive: true });
  const links = [
    '/guide/nowhere/',
    '/guide/api/#nowhere',
    '/guide/nowhere.css',
    '/docs',
    'https://example.com/',
    '#limits',
  ];
  await writeFile(join(folder, 'api/index.html'), `<h2 id="limits">${links.map((link) => `<a x href="${link}">`)}`);
  const dead = deadLinks(folder).filter((line) => line.startsWith('api/'));
  expect(dead).toEqual(links.slice(0, 4).map((link) => `api/index.html: ${link}`));
  await rm(folder, { recursive: true });
});
