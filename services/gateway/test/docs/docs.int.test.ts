import { apiToken, startGateway, startUpstream } from '../gateway.ts';

const documentOf = (host: string, path: string) => ({
  openapi: '3.1.0',
  paths: { [path]: { get: { 'x-host': host, tags: ['Things'], responses: {} }, post: { 'x-host': 'internal' } } },
});

/** A service that documents itself, and one that never does. */
async function startAll() {
  const ticket = await startUpstream((_req, res) => res.end(JSON.stringify(documentOf('ticket', '/api/v3.0/things'))));
  const clock = { at: Date.now() };
  const gateway = await startGateway({
    now: () => clock.at,
    services: { ticket: ticket.url, purchase: 'http://127.0.0.1:1' },
  });
  return { ...gateway, clock, service: ticket };
}

let all: Awaited<ReturnType<typeof startAll>>;
beforeAll(async () => {
  all = await startAll();
});
afterAll(async () => {
  await all.close();
  await all.service.close();
});

test('a host shows the operations of the services behind it, as far as they answer', async () => {
  const { status, body, headers } = await all.call('ticket', 'GET', '/openapi.json');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(body).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: 'https://api.example.com' }],
    paths: { '/api/v3.0/things': { get: { tags: ['Things'] } } },
  });
  expect(JSON.stringify(body)).not.toMatch(/x-host|internal/);
});

test('the operations of a service that went down stay in the document', async () => {
  const { body: before } = await all.call('ticket', 'GET', '/openapi.json');
  await all.service.close();
  all.clock.at += 31_000;
  expect((await all.call('ticket', 'GET', '/openapi.json')).body).toEqual(before);
  expect(all.logger.lines.at(-1)).toMatchObject({ message: 'OpenAPI document of a service could not be read' });
});

test.each(['ticket', 'ts', 'download'] as const)('%s has a page that finds all that it loads', async (host) => {
  const page = await all.call(host, 'GET', '/docs');
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  const loaded = [...page.text.matchAll(/<(?:link|script)[^>]* (?:src|href)="([^"]*)"/g)].map(
    ([, url]) => url as string,
  );
  for (const url of [...loaded, '/openapi.json']) {
    const { status, headers } = await all.call(host, 'GET', url);
    expect([url, status]).toEqual([url, 200]);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) });
  }
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toContain('unsafe');
});

test.each([
  ['GET', '/docs/../package.json', 404],
  ['GET', '/docs/package.json', 404],
  ['GET', '/docs/swagger-ui-bundle.js.map', 404],
  ['GET', '/docs/constructor', 404],
  ['POST', '/docs', 405],
  ['DELETE', '/openapi.json', 405],
  ['HEAD', '/docs', 200],
])('%s %s answers %i', async (method, path, status) => {
  const answer = await all.call('ticket', method, path, { headers: { authorization: `Bearer ${apiToken}` } });
  expect(answer.status).toBe(status);
  if (status === 405)
    expect(answer).toMatchObject({ headers: { allow: 'GET, HEAD' }, body: { code: 'method_not_allowed' } });
});
