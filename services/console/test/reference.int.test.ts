import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Listening, listen } from '@app/http';
import { createApp } from '../app.ts';

const publicUrls = {
  ticket: 'https://api.example.com',
  ts: 'https://ts.example.com/',
  download: 'http://127.0.0.1:4002',
};
type Host = keyof typeof publicUrls;
const hosts = ['ticket', 'ts', 'download'] as const;

const script = "document.documentElement.dataset.theme = 'dark'";
const hash = createHash('sha256').update(script).digest('base64');
const page = `<html><script>${script}</script><script src="/guide/_assets/a.1b2c.js"></script></html>`;

const folder = mkdtempSync(join(tmpdir(), 'console-'));
const files = {
  'main.ts': 'not for everybody',
  'dist/console/index.html': '<html></html>',
  'reference/guide/index.html': page,
  'reference/guide/errors/index.html': '<html>in_use</html>',
  'reference/guide/_assets/a.1b2c.js': 'export {}',
  ...Object.fromEntries(
    hosts.map((host) => [
      `reference/openapi/${host}.json`,
      JSON.stringify({ openapi: '3.1.0', info: { title: `The ${host} API` }, servers: [{ url: 'https://x.test' }] }),
    ]),
  ),
};
let server: Listening;

beforeAll(async () => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  server = await listen(createApp({ folder, publicUrls }), { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

type Answer = { status: number; headers: Record<string, unknown>; text: string };

/** As the gateway asks; the path exactly as given, which `fetch` would normalise. */
function ask(host: Host, path: string, method = 'GET'): Promise<Answer> {
  const { host: address, protocol } = new URL(publicUrls[host]);
  const headers = { 'x-forwarded-host': address, 'x-forwarded-proto': protocol.replace(':', '') };
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk as Buffer);
      resolve({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() });
    });
    req.on('error', reject).end();
  });
}

test.each([
  ['ticket', 'https://api.example.com'],
  ['ts', 'https://ts.example.com'],
  ['download', 'http://127.0.0.1:4002'],
] as const)('%s has its own document, with its address %s', async (host, url) => {
  const { status, headers, text } = await ask(host, '/openapi.json');
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(JSON.parse(text)).toEqual({ openapi: '3.1.0', info: { title: `The ${host} API` }, servers: [{ url }] });
});

test.each(hosts)('%s has a page that finds all that it loads, and has nothing inline', async (host) => {
  const { status, headers, text } = await ask(host, '/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const loaded = [...text.matchAll(/<(?:link|script)[^>]* (?:src|href)="([^"]*)"/g)].map(([, url]) => url as string);
  expect(loaded.length).toBeGreaterThan(3);
  for (const url of loaded) {
    expect(url).toMatch(/^\/docs\//);
    expect([url, (await ask(host, url)).status]).toEqual([url, 200]);
  }
  expect(text).not.toMatch(/<script>|<style| style=| on\w+=/);
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toContain('unsafe');
});

test('the page leads to those of both APIs, and to the guide; its script sends the document to nobody', async () => {
  const links = [...(await ask('download', '/docs/')).text.matchAll(/<a href="([^"]*)"/g)].map(([, url]) => url);
  expect(links).toEqual(['https://api.example.com/docs', 'https://ts.example.com/docs', '/guide/']);
  expect((await ask('ts', '/docs/start.js')).text).toContain('validatorUrl: null');
});

test.each([
  ['/guide', /^text\/html/, 'public, max-age=300'],
  ['/guide/', /^text\/html/, 'public, max-age=300'],
  ['/guide/errors', /^text\/html/, 'public, max-age=300'],
  ['/guide/errors/', /^text\/html/, 'public, max-age=300'],
  ['/guide/_assets/a.1b2c.js', /^text\/javascript/, 'public, max-age=31536000, immutable'],
])('every host serves %s as %s, to be kept: %s', async (path, type, cached) => {
  for (const host of hosts) {
    const { status, headers } = await ask(host, path);
    expect([status, headers['cache-control']]).toEqual([200, cached]);
    expect(headers).toMatchObject({ 'content-type': expect.stringMatching(type), 'x-content-type-options': 'nosniff' });
  }
});

test('a page of the guide runs the scripts that were built into it, and no other', async () => {
  const policy = String((await ask('ts', '/guide/')).headers['content-security-policy']);
  const [, scripts] = /script-src ([^;]*);/.exec(policy) ?? [];
  expect(scripts).toBe(`'self' 'wasm-unsafe-eval' 'sha256-${hash}'`);
  expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
});

test.each([
  ['GET', '/docs/../main.ts', 404],
  ['GET', '/docs/package.json', 404],
  ['GET', '/docs/swagger-ui-bundle.js.map', 404],
  ['GET', '/docs/constructor', 404],
  ['GET', '/openapi.json/x', 404],
  ['POST', '/docs', 405],
  ['DELETE', '/openapi.json', 405],
  ['HEAD', '/docs', 200],
  ['GET', '/guide/../../main.ts', 404],
  ['GET', '/guide/%2e%2e/%2e%2e/main.ts', 404],
  ['GET', '/guide/..%2f..%2fmain.ts', 404],
  ['GET', '/guide/nothing', 404],
  ['GET', `/guide/${'a'.repeat(300)}`, 404],
  ['GET', '/guide/errors/nothing.js', 404],
  ['GET', '/guide/_assets', 404],
  ['GET', '/guide/_assets/a.1b2c.js/x', 404],
  ['GET', '/guidebook', 404],
  ['GET', '/reference/openapi/ts.json', 404],
  ['POST', '/guide/errors', 405],
  ['HEAD', '/guide/errors', 200],
])('%s %s answers %i', async (method, path, status) => {
  const { text, ...answer } = await ask('ticket', path, method);
  expect(answer.status).toBe(status);
  if (status === 200) return expect(text).toBe('');
  const code = status === 405 ? 'method_not_allowed' : 'not_found';
  expect(JSON.parse(text)).toMatchObject({ code, doc_url: `https://api.example.com/guide/errors#${code}` });
  if (status === 405) expect(answer.headers).toMatchObject({ allow: 'GET, HEAD' });
});

test('without the documents it does not start', () => {
  expect(() => createApp({ folder: join(folder, 'dist'), publicUrls })).toThrow('run `npm run types`');
});
