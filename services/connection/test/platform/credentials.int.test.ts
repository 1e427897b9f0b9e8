import { eventually } from '@app/testing';
import { anAccountant } from '../service.ts';
import { type PlatformService, secret, startWithPlatform } from './platform.ts';

let service: PlatformService;
beforeAll(async () => {
  service = await startWithPlatform();
});
afterEach(() => service.platform.heal());
afterAll(() => service.stop());

const add = async (organization: string, number: string) =>
  (await service.platform.addInvoice({ organization, invoice: { number }, notify: false })).flow.flowId;

test('1: an OAuth2 client fetches an invoice, and goes on with a fresh token when the old one was refused', async () => {
  const one = await service.connected();
  const first = await add(one.organization, 'OA-1');
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one)).toEqual([first]));
  const tokens = () => service.platform.received().tokenRequests.filter(({ clientId }) => clientId === one.clientId);
  expect(tokens()).toHaveLength(1);
  service.platform.revokeTokens(one.clientId);
  const second = await add(one.organization, 'OA-2');
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one)).toEqual([first, second]));
  expect(tokens()).toHaveLength(2);
});

test('1: a client that the platform refuses stops the calls until it is replaced; its secret is nowhere', async () => {
  const one = await service.connected({ active: false });
  await service.patch(one, { oauthClientId: one.clientId, oauthClientSecret: 'a wrong secret', active: true });
  await eventually(async () => {
    expect(await service.viewOf(one)).toMatchObject({ health: { status: 'unhealthy', reason: 'credentials_refused' } });
  });
  const flow = await add(one.organization, 'OA-3');
  const answer = await service.patch(one, { oauthClientId: one.clientId, oauthClientSecret: secret });
  expect(answer.body).toMatchObject({ oauthClientId: one.clientId, oauthTokenUrl: null, hasCredentials: true });
  await eventually(() => expect(service.fetchedIds(one)).toEqual([flow]));
  expect((await service.viewOf(one))['health']).toMatchObject({ status: 'ok' });
  const records = JSON.stringify(await service.database.collection('connections').find().toArray());
  for (const text of [records, ...service.answers.map((one) => one.text)]) expect(text).not.toContain(secret);
});

test('5: calls say whom they are about, and each has an id of its own', async () => {
  const organizations = ['732829320', '356000000'];
  const one = await service.connected({ organizations, organizationId: '356000000' });
  const flow = await add('356000000', 'ORG-1');
  await add('732829320', 'ORG-2');
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one)).toEqual([flow]));
  const calls = service.platform.received().requests.filter(({ organization }) => organization === '356000000');
  expect(calls.length).toBeGreaterThan(3);
  const ids = calls.map(({ requestId }) => requestId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

const client = { provider: 'afnor', oauthClientId: 'a', oauthClientSecret: 'b' };
test.each<[string, object, number, string]>([
  ['a key beside the client', { ...client, apiKey: 'k' }, 422, ''],
  ['a client without secret', { provider: 'afnor', oauthClientId: 'a', apiKey: 'k' }, 422, ''],
  [
    'a token address without a client',
    { provider: 'afnor', apiKey: 'k', oauthTokenUrl: 'https://a.example/t' },
    422,
    '',
  ],
  ['a token address inside', { ...client, oauthTokenUrl: 'https://127.0.0.1/token' }, 422, 'oauthTokenUrl'],
  ['a token address without TLS', { ...client, oauthTokenUrl: 'http://a.example/token' }, 422, 'oauthTokenUrl'],
  ['an organisation that no header can carry', { ...client, organizationId: 'a\nb' }, 422, 'organizationId'],
  ['a client for a provider that takes keys', { ...client, provider: 'sandbox' }, 400, 'oauth_not_supported'],
])('%s is refused', async (_case, body, status, fault) => {
  const answer = await service.call('POST', '/invoice-connections', { as: anAccountant(), body });
  expect(answer.status).toBe(status);
  if (fault) expect(answer.text).toContain(fault);
});

test('a token address cannot be changed by one who does not know the secret', async () => {
  const one = await service.connected({ active: false });
  const answer = await service.patch(one, { oauthTokenUrl: 'https://elsewhere.example/token' });
  expect(answer.status).toBe(422);
});
