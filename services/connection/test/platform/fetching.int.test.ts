import { invoiceStatusReceived } from '@app/contracts';
import { eventually } from '@app/testing';
import { anAccountant } from '../service.ts';
import { type OfPlatform, type PlatformService, secret, startWithPlatform } from './platform.ts';

let service: PlatformService;
beforeAll(async () => {
  service = await startWithPlatform();
});
afterEach(() => {
  service.platform.heal();
  service.platform.set({ order: 'ascending', missing: [], mostPerPage: 100 });
});
afterAll(() => service.stop());

const inOneMoment = async (one: OfPlatform, count: number) => {
  const updatedAt = new Date(Date.now() - 120_000).toISOString();
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const added = { organization: one.organization, invoice: { number: `M-${number}` }, notify: false };
    ids.push(
      (await service.platform.addInvoice({ ...added, flow: { submittedAt: updatedAt, updatedAt } })).flow.flowId,
    );
  }
  return ids.sort();
};
const searches = () => service.platform.received().requests.filter(({ path }) => path.endsWith('/flows/search')).length;

test('2 and 3: 250 flows of one millisecond arrive by pages of 100', async () => {
  const one = await service.connected({ active: false });
  const ids = await inOneMoment(one, 250);
  const before = searches();
  await service.patch(one, { active: true });
  await eventually(() => expect(service.fetchedIds(one).sort()).toEqual(ids));
  expect(searches() - before).toBe(3);
  await service.pollAgain(one);
  expect(service.fetchedIds(one)).toHaveLength(250);
});

test('4: a poll that ends between two pages in descending order loses nothing', async () => {
  service.platform.set({ order: 'descending', mostPerPage: 25 });
  const one = await service.connected({ active: false });
  const ids = await inOneMoment(one, 60);
  const search = '/flows/search';
  service.platform.fail({ kind: 'delay', ms: 1, times: 1, on: search });
  service.platform.fail({ kind: 'status', status: 500, times: 1, on: search });
  await service.patch(one, { active: true });
  await eventually(async () => expect(await service.recordOf(one)).toMatchObject({ pollFailures: 1 }));
  expect(await service.recordOf(one)).not.toHaveProperty('seenUntil');
  service.platform.heal();
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one).sort()).toEqual(ids));
});

test('9: an invoice whose original the platform does not have is read as it was converted', async () => {
  const one = await service.connected();
  const added = { organization: one.organization, invoice: { number: 'CV-1' }, missing: ['Original' as const] };
  const { flow } = await service.platform.addInvoice({ ...added, notify: false });
  await service.pollAgain(one);
  await eventually(() => expect(service.fetchedIds(one)).toEqual([flow.flowId]));
  expect(service.fetched(one)[0]?.document?.type).toMatch(/xml/);
});

test('10: a document of 60 MB is a failure that says so, and is listed', async () => {
  const one = await service.connected();
  const document = { syntax: 'Factur-X', bytes: Buffer.alloc(60_000_000, '%PDF-1.7 '), name: 'large.pdf' };
  const { flow } = await service.platform.addInvoice({ organization: one.organization, document, notify: false });
  await service.pollAgain(one);
  await eventually(async () => {
    const { body } = await service.call('GET', `/invoice-connections/${one.id}/failures`, { as: one.owner });
    expect(body['items']).toMatchObject([
      { externalId: flow.flowId, reason: "the provider's answer is longer than 25000000 bytes", retrying: false },
    ]);
  });
});

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

const statusesOf = (one: OfPlatform) =>
  service.events(invoiceStatusReceived).filter(({ client_id }) => client_id === one.owner.companyId);
const invoiceOf = async ({ organization }: OfPlatform, number: string) => {
  const added = await service.platform.addInvoice({
    organization,
    invoice: { number, issueDate: '2026-11-16' },
    notify: false,
  });
  return added.flow.flowId;
};

test('19: what a supplier or a platform says of an invoice is published once, by callback or by poll', async () => {
  const one = await service.connected();
  const invoiceFlowId = await invoiceOf(one, 'LC-1');
  const { organization } = one;
  const add = (status: string, more: object = {}) =>
    service.platform.addLifeCycle({ organization, invoiceFlowId, status, ...more });
  const called = await add('212', { amounts: [{ typeCode: 'MEN', amount: '120.00', percent: '20.00' }] });
  expect(called.callbacks).toMatchObject([{ status: 200 }]);
  await add('213', { reason: 'DOUBLON', note: 'second delivery', notify: false });
  await add('220', { notify: false });
  await service.pollAgain(one);
  await eventually(() =>
    expect(
      statusesOf(one)
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['212', '213', '220']),
  );
  expect(statusesOf(one).find(({ status }) => status === '212')).toEqual({
    client_id: one.owner.companyId,
    provider: 'afnor',
    id: `${called.flow.flowId}/0`,
    number: 'LC-1',
    issue_date: '2026-11-16',
    supplier_siren: '356000000',
    status: '212',
    reasons: [{ code: null, text: null }],
    at: expect.any(String),
  });
  expect(statusesOf(one).find(({ status }) => status === '213')?.reasons).toEqual([
    { code: 'DOUBLON', text: 'second delivery' },
  ]);
  await service.platform.send([called.flow.flowId], { times: 2 });
  await service.pollAgain(one);
  expect(statusesOf(one)).toHaveLength(3);
  // None of them is an invoice.
  await eventually(() => expect(service.fetchedIds(one)).toEqual([invoiceFlowId]));
});

test('a message that cannot be read is a failure that says why', async () => {
  const one = await service.connected();
  const document = { syntax: 'CDAR', bytes: Buffer.from('<Odd/>') };
  const flow = { flowType: 'SupplierInvoiceLC' };
  const added = await service.platform.addInvoice({ organization: one.organization, document, flow });
  await eventually(async () => {
    const { body } = await service.call('GET', `/invoice-connections/${one.id}/failures`, { as: one.owner });
    const reason = "the life-cycle message can't be read: the root element Odd is no life-cycle message (CDAR D22B)";
    expect(body['items']).toMatchObject([{ externalId: added.flow.flowId, reason }]);
  });
});
