import { createHmac } from 'node:crypto';
import { startHttpServer } from '../../fake-server/http-server.ts';
import { type SandboxProvider, startSandboxProvider } from '../start-sandbox-provider.ts';

const apiKey = 'a-key';
let sandbox: SandboxProvider;

async function call(method: string, path: string, body?: unknown, key = apiKey) {
  const response = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

beforeEach(async () => {
  sandbox = await startSandboxProvider({ port: 0 });
  expect((await call('POST', '/admin/accounts', { api_key: apiKey })).status).toBe(204);
});
afterEach(() => sandbox.close());

test('added invoices are served: invoice, document, list of changes, feedback', async () => {
  const document = { name: 'a.pdf', type: 'application/pdf', base64: Buffer.from('%PDF').toString('base64') };
  const added = await call('POST', '/admin/invoices', {
    api_key: apiKey,
    invoice: { id: 'i1', number: 'F1' },
    document,
  });
  expect(added).toMatchObject({ status: 200, body: { invoice: { id: 'i1', status: 'received' }, webhook: null } });
  expect((await call('GET', '/invoices/i1')).body).toMatchObject({
    number: 'F1',
    document: { name: 'a.pdf', size: 4 },
  });
  const file = await fetch(`${sandbox.url}/invoices/i1/document`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect([file.headers.get('content-type'), await file.text()]).toEqual(['application/pdf', '%PDF']);
  const said = { outcome: 'taken_in_charge', ticket: { id: 't', number: '1' }, po_ref: 'PO-1' };
  expect((await call('POST', '/invoices/i1/feedback', said)).status).toBe(204);
  expect(await call('POST', '/invoices/i1/feedback', said)).toMatchObject({
    status: 409,
    body: { code: 'already_in_status' },
  });
  expect((await call('GET', '/invoices/i1')).body).toMatchObject({ status: 'taken_in_charge', number: 'F1' });
  const { items } = (await call('GET', `/admin/feedback?api_key=${apiKey}`)).body;
  expect(items.map(({ changed }: { changed: boolean }) => changed)).toEqual([true, false]);
  expect((await call('DELETE', `/admin/invoices/i1?api_key=${apiKey}`)).status).toBe(204);
  expect((await call('GET', '/invoices/i1')).status).toBe(404);
  expect((await call('GET', '/invoices')).body).toMatchObject({
    items: [{ id: 'i1', deleted: true }],
    next_cursor: null,
  });
});

test('an account sees its own invoices alone', async () => {
  await call('POST', '/admin/accounts', { api_key: 'another' });
  await call('POST', '/admin/samples', { api_key: apiKey });
  expect((await call('GET', '/invoices')).body.items).toHaveLength(3);
  expect((await call('GET', '/invoices', undefined, 'another')).body.items).toEqual([]);
  expect((await call('GET', '/invoices/sample-1', undefined, 'another')).status).toBe(404);
  expect((await call('GET', '/invoices', undefined, 'nobody')).status).toBe(401);
});

test('a webhook is signed over its bytes, and its response is shown', async () => {
  const received: { signature: unknown; body: Buffer }[] = [];
  const platform = await startHttpServer(
    ({ headers, body }) => {
      received.push({ signature: headers['x-sandbox-signature'], body });
      return { status: 202, json: { accepted: 1 } };
    },
    { port: 0 },
  );
  const webhook = { client_id: 'c1', webhook_url: `${platform.url}/hook`, webhook_secret: 'whsec' };
  await call('POST', '/admin/accounts', { api_key: apiKey, ...webhook });
  const announced = await call('POST', '/admin/invoices', { api_key: apiKey, invoice: { id: 'i1' }, notify: true });
  expect(announced.body.webhook).toEqual({ status: 202, error: null });
  await platform.close();
  const [hook] = received;
  expect(JSON.parse(String(hook?.body))).toEqual({ clientId: 'c1', events: [{ invoiceId: 'i1' }] });
  expect(hook?.signature).toBe(
    `sha256=${createHmac('sha256', 'whsec')
      .update(hook?.body ?? '')
      .digest('hex')}`,
  );
  const lost = await call('POST', '/admin/webhooks', { api_key: apiKey, invoice_ids: ['i1'] });
  expect(lost.body.webhook).toMatchObject({ status: null, error: expect.any(String) });
});

test('failures are ordered and ended; playing the provider never fails', async () => {
  await call('POST', '/admin/faults', {
    kind: 'status',
    status: 429,
    retryAfter: '2',
    times: 1,
    on: '^GET /invoices$',
  });
  expect((await call('GET', '/invoices')).status).toBe(429);
  expect((await call('GET', '/invoices')).status).toBe(200);
  await call('POST', '/admin/faults', { kind: 'cut' });
  await expect(call('GET', '/invoices')).rejects.toThrow();
  expect((await call('GET', '/admin/calls')).body).toMatchObject({ byPath: { '/invoices': expect.any(Number) } });
  expect((await call('DELETE', '/admin/faults')).status).toBe(204);
  expect((await call('GET', '/invoices')).status).toBe(200);
});

test.each([
  ['POST', '/admin/invoices', '{"api_key":', 400],
  ['POST', '/admin/invoices', '[]', 400],
  ['POST', '/admin/invoices', { invoice: {} }, 422],
  ['POST', '/admin/invoices', { api_key: apiKey }, 422],
  ['POST', '/admin/invoices', { api_key: 'nobody', invoice: {} }, 401],
  ['POST', '/admin/invoices', { api_key: apiKey, invoice: {}, notify: true }, 409],
  ['POST', '/admin/faults', { kind: 'explode' }, 422],
  ['POST', '/admin/faults', { kind: 'status' }, 422],
  ['POST', '/admin/faults', { kind: 'cut', on: '(' }, 422],
  ['POST', '/admin/accounts', {}, 422],
  ['POST', '/invoices/none/feedback', { outcome: 'taken_in_charge' }, 404],
  ['POST', '/invoices/none/feedback', { outcome: 'approved' }, 422],
  ['GET', '/invoices?limit=0', undefined, 422],
  ['GET', '/invoices?updated_after=soon', undefined, 422],
  ['GET', '/invoices?cursor=x', undefined, 422],
  ['GET', '/invoices/%', undefined, 404],
  ['GET', '/elsewhere', undefined, 404],
  ['PUT', '/invoices', {}, 404],
])('%s %s %j is answered %d', async (method, path, body, status) => {
  expect((await call(method, path, body)).status).toBe(status);
});

test('memory is bounded: the oldest invoices of an account go first', async () => {
  for (let number = 0; number < 20_005; number += 1) sandbox.put(apiKey, { id: `i${number}` });
  expect((await call('GET', '/invoices/i4')).status).toBe(404);
  expect((await call('GET', '/invoices/i5')).status).toBe(200);
});
