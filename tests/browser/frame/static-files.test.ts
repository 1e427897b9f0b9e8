import axios, { type AxiosResponse } from 'axios';
import { stack } from '../../e2e/platform.ts';
import { consoleUrl, expect } from '../browser.ts';

const get = (path: string, headers: Record<string, string> = {}): Promise<AxiosResponse<Buffer>> =>
  axios.get(`${consoleUrl()}${path}`, {
    headers,
    responseType: 'arraybuffer',
    decompress: false,
    validateStatus: () => true,
  });

async function assets(): Promise<string[]> {
  const { data } = await get('/', { 'accept-encoding': 'identity' });
  return [...data.toString().matchAll(/(?:src|href)="\/console(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
}

test.each(['', '/', '/invoices', '/tickets/T-1', '/x/y/z'])('%s is the page, which no cache keeps', async (path) => {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ 'content-type': 'text/html;charset=utf-8', 'cache-control': 'no-store' });
  // A browser takes the headers of a 304 for those of the page.
  const again = await get(path, { 'if-none-match': String(answer.headers['etag']) });
  expect([again.status, again.headers['cache-control']]).toEqual([304, 'no-store']);
  for (const { headers } of [answer, again]) expect(headers['content-security-policy']).toBe(policy());
});

function policy(): string {
  return (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; " +
    `connect-src 'self' ${stack().download}; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; ` +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types pdf-worker"
  );
}

test('assets are compressed and kept for ever; one that is gone is 404', async () => {
  const [first = ''] = await assets();
  for (const encoding of ['br', 'gzip'])
    expect((await get(first, { 'accept-encoding': encoding })).headers).toMatchObject({
      'content-encoding': encoding,
      'cache-control': 'public, max-age=31536000, immutable',
    });
  const gone = await get('/assets/index-00000000.js');
  expect([gone.status, gone.headers['cache-control']]).toEqual([404, 'no-store']);
});

test('nothing is written to pages', async () => {
  const { status, headers } = await axios.post(consoleUrl(), {}, { validateStatus: () => true });
  expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
});
