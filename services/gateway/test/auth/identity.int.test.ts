import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually, testInfra, testKeys, testNamespace } from '@app/testing';
import { bearer, principalOf, startGateway } from '../gateway.ts';

const adminToken = randomBytes(24).toString('hex');
const password = 'correct horse battery staple';

/** The identity service as it is run, on a database of its own. */
async function runIdentity(): Promise<{ url: string; process: ChildProcess }> {
  const { mongodbUrl, amqpUrl } = testInfra();
  const child = spawn(process.execPath, ['main.ts'], {
    cwd: join(__dirname, '../../../identity'),
    // Ends with this process: it stops when the IPC channel closes.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'development',
      PORT: '0',
      OPS_PORT: '0',
      NAMESPACE: testNamespace(),
      MONGODB_URL: mongodbUrl,
      AMQP_URL: amqpUrl,
      INTERNAL_TOKEN_PUBLIC_KEYS: testKeys.public,
      SESSION_KEYS: `k:${randomBytes(32).toString('base64')}`,
      PLATFORM_ADMIN_TOKEN: adminToken,
      PUBLIC_TS_API_URL: 'https://ts.example.com',
    },
  });
  let said = '';
  child.stdout?.on('data', (chunk) => (said += chunk));
  const port = await eventually(() => {
    const ready = /ready \{"port":(\d+)\}/.exec(said);
    if (!ready) throw new Error(`identity is not ready: ${said}`);
    return ready[1];
  });
  return { url: `http://127.0.0.1:${port}`, process: child };
}

let identity: Awaited<ReturnType<typeof runIdentity>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  identity = await runIdentity();
  gateway = await startGateway({ services: { identity: identity.url } });
});
afterAll(async () => {
  await gateway.close();
  identity.process.kill();
  if (identity.process.exitCode === null) await once(identity.process, 'exit');
});

async function ts(method: string, path: string, headers: Record<string, string>, body?: object) {
  const json = { 'content-type': 'application/json', ...headers };
  return gateway.call('ts', method, path, { headers: json, ...(body ? { body: JSON.stringify(body) } : {}) });
}

async function aLogin() {
  const admin = bearer(adminToken);
  const company = await ts('POST', '/admin/companies', admin, { name: 'Acme', kind: 'client' });
  const email = `${randomBytes(6).toString('hex')}@acme.test`;
  const user = {
    company_id: company.body['id'],
    email,
    password,
    first_name: 'Ada',
    last_name: 'M',
    permissions: ['admin'],
  };
  expect((await ts('POST', '/admin/users', admin, user)).status).toBe(201);
  const { status, body, headers } = await ts('POST', '/auth/login', {}, { email, password });
  expect(status).toBe(200);
  const cookie = String(headers['set-cookie']?.[0]).split(';')[0] as string;
  return { token: String(body['token']), cookie, companyId: company.body['id'] };
}

const ticketApi = (token: string) => gateway.call('ticket', 'GET', '/api/v3.0/tickets', { headers: bearer(token) });

test('a login leads to a token, the token to the ticket API, and its deletion ends it', async () => {
  const { cookie, companyId } = await aLogin();
  const made = await ts('POST', '/api-tokens', { cookie }, { name: 'purchasing' });
  expect(made.status).toBe(201);
  const { token, id } = made.body as { token: string; id: string };
  expect((await ticketApi(token)).status).toBe(200);
  expect(await principalOf(gateway.ticket.asked.at(-1) as never)).toMatchObject({
    caller: { companyId, via: 'token' },
  });
  expect((await ts('GET', '/api-tokens', bearer(token))).status).toBe(401);

  expect((await ts('DELETE', `/api-tokens/${id}`, { cookie })).status).toBe(204);
  await eventually(async () => expect((await ticketApi(token)).status).toBe(401));
});

test('a session is the cookie and the token alike, and both end everywhere with the logout', async () => {
  const { cookie, token } = await aLogin();
  const shown = await ts('GET', '/auth/session', { cookie });
  expect(shown).toMatchObject({ status: 200, body: { user: { first_name: 'Ada' } } });
  expect((await ts('GET', '/auth/session', bearer(token))).body).toEqual(shown.body);
  expect((await ticketApi(token)).status).toBe(200);
  expect((await ts('POST', '/auth/logout', { cookie, origin: 'https://evil.test' })).status).toBe(403);
  expect((await ts('POST', '/auth/logout', { cookie, origin: 'https://ts.example.com' })).status).toBe(204);
  await eventually(async () => {
    expect((await ts('GET', '/api-tokens', { cookie })).status).toBe(401);
    expect((await ticketApi(token)).status).toBe(401);
  });
});

test("the administrator's token is for the second API alone", async () => {
  expect((await ts('GET', '/admin/companies', bearer(adminToken))).status).toBe(200);
  expect((await ticketApi(adminToken)).status).toBe(401);
  expect((await ts('GET', '/admin/companies', { cookie: `session=${adminToken}` })).status).toBe(401);
});

test('headers of a client cannot change who it is', async () => {
  const { token } = await aLogin();
  const forged = { 'x-session-token': token, 'x-forwarded-for': '6.6.6.6' };
  expect((await ts('GET', '/auth/session', forged)).status).toBe(401);
  expect((await ts('GET', '/internal/credentials', bearer(token))).status).toBe(404);
});
