import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWith, stopAfter, stopAll } from '../upstreams.ts';

const script = "document.documentElement.dataset.theme = 'dark'";
const hash = createHash('sha256').update(script).digest('base64');
const page = `<html><script>${script}</script><script src="/guide/_assets/a.1b2c.js"></script></html>`;

/** A gateway with a guide of two pages, beside a file that is not part of the guide. */
async function withGuide(options: Parameters<typeof startWith>[0] = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'guide-'));
  stopAfter(() => rm(folder, { recursive: true }));
  const guideFolder = join(folder, 'guide');
  await mkdir(join(guideFolder, 'errors'), { recursive: true });
  await mkdir(join(guideFolder, '_assets'));
  await writeFile(join(folder, 'secret.html'), 'no');
  await writeFile(join(guideFolder, 'index.html'), page);
  await writeFile(join(guideFolder, 'errors/index.html'), '<html>in_use</html>');
  await writeFile(join(guideFolder, '_assets/a.1b2c.js'), 'export {}');
  return startWith({ guideFolder, ...options });
}
afterEach(stopAll);

test.each([
  ['/guide', 'text/html; charset=utf-8', 'public, max-age=300'],
  ['/guide/', 'text/html; charset=utf-8', 'public, max-age=300'],
  ['/guide/errors', 'text/html; charset=utf-8', 'public, max-age=300'],
  ['/guide/errors/', 'text/html; charset=utf-8', 'public, max-age=300'],
  ['/guide/_assets/a.1b2c.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
])('every host serves %s as %s, to be kept: %s', async (path, type, cached) => {
  const { call } = await withGuide();
  for (const host of ['ticket', 'ts', 'download'] as const) {
    const { status, headers } = await call(host, 'GET', path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, cached]);
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('a page runs the scripts that were built into it, and no other', async () => {
  const { call } = await withGuide();
  const policy = String((await call('ts', 'GET', '/guide/')).headers['content-security-policy']);
  const [, scripts] = /script-src ([^;]*);/.exec(policy) ?? [];
  expect(scripts).toBe(`'self' 'wasm-unsafe-eval' 'sha256-${hash}'`);
  expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
});

test.each([
  ['GET', '/guide/../secret.html', 404],
  ['GET', '/guide/%2e%2e/secret.html', 404],
  ['GET', '/guide/..%2fsecret.html', 404],
  ['GET', '/guide/nothing', 404],
  ['GET', `/guide/${'a'.repeat(300)}`, 404],
  ['GET', '/guide/errors/nothing.js', 404],
  ['GET', '/guide/_assets', 404],
  ['GET', '/guide/_assets/a.1b2c.js/x', 404],
  ['GET', '/guidebook', 404],
  ['POST', '/guide/errors', 405],
  ['HEAD', '/guide/errors', 200],
])('%s %s answers %i', async (method, path, status) => {
  const { call } = await withGuide();
  expect((await call('ts', method, path)).status).toBe(status);
});

test('without a guide its addresses are 404', async () => {
  const { call } = await withGuide({ guideFolder: join(tmpdir(), 'nowhere') });
  expect((await call('ts', 'GET', '/guide/')).status).toBe(404);
});

test('reading the guide costs its reader no requests of the API', async () => {
  const { call } = await withGuide({ rateLimitPerMinute: 2 });
  const statuses = async (path: string) => {
    const answers = [await call('ts', 'GET', path), await call('ts', 'GET', path), await call('ts', 'GET', path)];
    return answers.map(({ status }) => status);
  };
  expect(await statuses('/guide/errors')).toEqual([200, 200, 429]);
  expect(await statuses('/docs')).toEqual([200, 200, 429]);
});
