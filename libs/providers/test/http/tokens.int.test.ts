import { inspect } from 'node:util';
import { type ApprovedPlatform, startApprovedPlatform } from '@app/demo';
import { createProviderHttp } from '../../http/http-client.ts';

const clientId = '732829320';
const clientSecret = 'the-secret-never-to-be-seen';
let platform: ApprovedPlatform;

beforeEach(async () => {
  platform = await startApprovedPlatform({ port: 0 });
  platform.setClient({ clientId, clientSecret });
});
afterEach(() => platform.close());

function connect(given: object = {}) {
  const credentials = { clientId, clientSecret, tokenUrl: platform.tokenUrl, isFromTenant: false, ...given };
  return createProviderHttp({ baseUrl: platform.flowService, credentials, timeoutMs: 20_000 });
}
const call = { path: ['webhooks'] };
const tokenRequests = () => platform.received().tokenRequests.length;

test('calls at once share one token; after it was refused, they share the next one', async () => {
  const http = connect();
  const atOnce = () => Promise.all(Array.from({ length: 20 }, () => http.json(call)));
  await atOnce();
  expect(tokenRequests()).toBe(1);
  platform.revokeTokens();
  await atOnce();
  expect(tokenRequests()).toBe(2);
});

test('a fresh token that is refused too is final', async () => {
  const http = connect();
  platform.fail({ kind: 'status', status: 401, on: '/webhooks' });
  await expect(http.json(call)).rejects.toMatchObject({ kind: 'unauthorized', status: 401 });
  expect(tokenRequests()).toBe(2);
});

test('an endpoint that takes the client in the header alone is served', async () => {
  platform.set({ clientAuthentication: 'basic' });
  await connect().json(call);
  expect(platform.received().tokenRequests.map(({ by, status }) => [by, status])).toEqual([
    ['body', 401],
    ['basic', 200],
  ]);
});

test('an address that a tenant gave is called if it is public, and no other', async () => {
  await expect(connect({ isFromTenant: true }).json(call)).rejects.toMatchObject({
    kind: 'unauthorized',
    code: 'address_refused',
  });
  expect(tokenRequests()).toBe(0);
});

test('no error repeats the secret or the token', async () => {
  const wrong = 'another-secret-never-to-be-seen';
  const refused = await connect({ clientSecret: wrong })
    .json(call)
    .catch((error: unknown) => error);
  expect(inspect(refused, { depth: 10, showHidden: true })).not.toContain(wrong);
  platform.fail({ kind: 'status', status: 400, on: '/auth/token', body: { error: `bad ${clientSecret}` } });
  const repeated = await connect()
    .json(call)
    .catch((error: unknown) => error);
  expect(repeated).toMatchObject({ kind: 'unauthorized', message: expect.stringContaining('bad …') });
});
