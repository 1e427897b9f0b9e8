import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { currentContext } from '@app/runtime';
import { type HttpClient, httpClient } from '../../client/http-client.ts';

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Another service, which sends the given answer, a client of it, and the requests that it got. */
async function service(answer: RequestListener, timeoutMs = 5_000) {
  const asked: { req: IncomingMessage; body: string }[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      asked.push({ req, body });
      answer(req, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { client: httpClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs }), asked, port };
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const ask = (client: HttpClient) => client.request({ method: 'get', path: '/x', token: 't' });

test('a request forwards the token and the request id', async () => {
  const { client, asked } = await service(json(201, { ok: true }));
  const context = { requestId: 'request-1' };
  const answer = await currentContext.run(context, () =>
    client.request({ method: 'post', path: '/things?a=b', token: 'token-1', body: { title: 'x' } }),
  );
  expect(answer).toEqual({ status: 201, body: { ok: true } });
  expect(asked[0]?.req).toMatchObject({ method: 'POST', url: '/things?a=b' });
  expect(asked[0]?.req.headers).toMatchObject({
    authorization: 'Bearer token-1',
    'x-request-id': 'request-1',
    'content-type': 'application/json',
  });
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ title: 'x' });
});

test('without a request or a body there is none to forward', async () => {
  const { client, asked } = await service(json(200, {}));
  await ask(client);
  expect(asked[0]?.req.headers).not.toHaveProperty('x-request-id');
  expect(asked[0]?.req.headers).not.toHaveProperty('content-type');
  expect(asked[0]?.body).toBe('');
});

test.each([200, 204, 302, 400, 401, 404, 409, 422, 429])('%d is an answer like any other', async (status) => {
  const { client } = await service(
    status === 204 ? (_req, res) => void res.writeHead(204).end() : json(status, { code: 'x' }),
  );
  await expect(ask(client)).resolves.toMatchObject({ status });
});

const away = { kind: 'unavailable', code: 'service_unavailable' };
const late = { kind: 'timeout', code: 'service_timeout' };

test.each([500, 502, 503, 504])('%d: the service is not available, and named without path or token', async (status) => {
  const { client, port } = await service(json(status, { error: 'secret detail' }));
  const asked = client.request({ method: 'get', path: '/secret-path', token: 'secret-token' });
  const message = `the service at 127.0.0.1:${port} did not answer`;
  await expect(asked).rejects.toMatchObject({ ...away, message });
});

test.each<[string, RequestListener]>([
  ['cuts the connection', (req) => void req.socket.destroy()],
  [
    'cuts its answer',
    (_req, res) => void res.writeHead(200, { 'content-length': '100' }).write('x', () => res.destroy()),
  ],
])('a service that %s is not available', async (_how, answer) => {
  const { client } = await service(answer);
  await expect(ask(client)).rejects.toMatchObject(away);
});

test.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  [
    'answers without end',
    (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => res.write(' '), 20);
      res.on('close', () => clearInterval(timer));
    },
  ],
])('a service that %s is late', async (_how, answer) => {
  const { client } = await service(answer, 150);
  await expect(ask(client)).rejects.toMatchObject(late);
});
