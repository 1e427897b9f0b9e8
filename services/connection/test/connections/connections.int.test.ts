import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { anAccountant, anInvoice, type Connected, type Service, startService } from '../service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const path = '/invoice-connections';
const valid = { provider: 'sandbox', apiKey: 'an api key' };
const create = (owner = anAccountant(), body: object = valid) => service.call('POST', path, { as: owner, body });

test('a connection is made, listed, changed and deleted, and its secrets are never shown', async () => {
  const owner = anAccountant();
  const made = await create(owner, { ...valid, webhookSecret: 'a secret of enough' });
  expect(made.status).toBe(201);
  const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(made.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    client: owner.companyId,
    provider: 'sandbox',
    active: true,
    hasCredentials: true,
    hasWebhookSecret: true,
    hasSubscription: false,
    oauthClientId: null,
    oauthTokenUrl: null,
    organizationId: null,
    lastPolledAt: null,
    health: { status: 'ok', reason: null, since: null },
    failedInvoices: 0,
    createdAt: date,
    updatedAt: date,
  });
  const own = `${path}/${made.body['id']}`;
  const off = await service.call('PATCH', own, { as: owner, body: { active: false } });
  expect([off.status, off.body['active']]).toEqual([200, false]);
  const second = await create(owner);
  expect([second.status, second.body['hasWebhookSecret']]).toEqual([201, false]);
  const listed = await service.call('GET', path, { as: owner });
  expect(listed.status).toBe(200);
  expect(listed.body).toMatchObject([
    { id: made.body['id'], active: false },
    { id: second.body['id'], active: true },
  ]);
  const deleted = await service.call('DELETE', own, { as: owner });
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  expect((await service.call('DELETE', own, { as: owner })).body).toMatchObject({ code: 'connection_not_found' });
  expect((await service.call('GET', path, { as: owner })).body).toMatchObject([{ id: second.body['id'] }]);
});

test.each([
  ['GET', path, undefined],
  ['POST', path, valid],
  ['PATCH', `${path}/${newId()}`, { active: false }],
  ['DELETE', `${path}/${newId()}`, undefined],
])('%s of connections is for clients: a contractor gets 403', async (method, at, body) => {
  const as = anAccountant({ companyKind: 'contractor' });
  const answer = await service.call(method, at, { as, body });
  expect([answer.status, answer.body['code']]).toEqual([403, 'clients_only']);
});

test.each([
  ['an unknown provider', { ...valid, provider: 'nobody' }, 400, 'unknown_provider'],
  ['an empty key', { ...valid, apiKey: '' }, 422, 'apiKey'],
  ['a key that is no text', { ...valid, apiKey: 12 }, 422, 'apiKey'],
  ['a secret that can be guessed', { ...valid, webhookSecret: 'x'.repeat(15) }, 422, 'webhookSecret'],
  ['active that is no boolean', { ...valid, active: 'true' }, 422, 'active'],
])('creating with %s', async (_fault, body, status, said) => {
  const answer = await create(anAccountant(), body);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(`"${said}"`);
});

test.each([
  ['no field', {}, ''],
  ['an empty key', { apiKey: '' }, 'apiKey'],
  ['a null secret', { webhookSecret: null }, 'webhookSecret'],
])('changing with %s is 422', async (_fault, body, faulty) => {
  const owner = anAccountant();
  const { body: made } = await create(owner);
  const answer = await service.call('PATCH', `${path}/${made['id']}`, { as: owner, body });
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ message: 'Validation error', errors: [{ path: faulty }] });
});

test('of ten connections made at once one is active, the rest is 409', async () => {
  const owner = anAccountant();
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(owner)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ code: 'connection_active_exists', error: expect.any(String) });
});

test('of ten connections switched on at once one gets active, the rest is 409 and stays off', async () => {
  const owner = anAccountant();
  const ids: unknown[] = [];
  for (let n = 0; n < 10; n += 1) ids.push((await create(owner, { ...valid, active: false })).body['id']);
  const on = (id: unknown) => service.call('PATCH', `${path}/${id}`, { as: owner, body: { active: true } });
  const answers = await Promise.all(ids.map(on));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  const { body } = await service.call('GET', path, { as: owner });
  expect((body as unknown as { active: boolean }[]).filter(({ active }) => active)).toHaveLength(1);
  // Switching on the active one again is no conflict.
  const winner = ids[answers.findIndex(({ status }) => status === 200)];
  expect((await on(winner)).status).toBe(200);
});

test('a company has at most a hundred connections', async () => {
  const owner = anAccountant();
  const make = () => create(owner, { ...valid, active: false });
  for (let n = 0; n < 10; n += 1) await Promise.all(Array.from({ length: 10 }, make));
  const answer = await make();
  expect([answer.status, answer.body['code']]).toEqual([409, 'connection_limit']);
});

const ask = ({ id, owner }: Connected, as = owner) => service.call('POST', `${path}/${id}/poll`, { as });
const fetchedIds = (one: Connected) => service.fetched(one).map(({ external_id }) => external_id);

test('a connection is polled when a person asks, once however many ask, and again after a minute', async () => {
  const connected = await service.connected();
  const lists = () => service.callsOf('/invoices');
  const before = lists();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(connected)));
  expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(5).fill([202, { ok: true }]));
  await eventually(() => expect(fetchedIds(connected)).toEqual([id]));
  await eventually(async () => expect(await service.recordOf(connected)).not.toHaveProperty('pollLease'));
  // What the relay takes out of the outbox meanwhile is no poll.
  const record = async () => ({ ...(await service.recordOf(connected)), outbox: [] });
  const polled = await record();
  expect((await ask(connected)).status).toBe(202);
  expect(await record()).toEqual(polled);
  expect(lists()).toBe(before + 1);

  // As if it were a minute later.
  const earlier = new Date(Date.now() - 60_001);
  await service.database
    .collection('connections')
    .updateOne({ _id: connected.id as never }, { $set: { pollAskedAt: earlier } });
  const next = service.sandbox.put(connected.apiKey, anInvoice()).id;
  await ask(connected);
  await eventually(() => expect(fetchedIds(connected)).toEqual([id, next]));
});

test('a connection that is off or deleted is not polled', async () => {
  const [off, deleted] = [await service.connected({ active: false }), await service.connected()];
  await service.remove(deleted);
  for (const [answer, status, code] of [
    [await ask(off), 409, 'connection_inactive'],
    [await ask(deleted), 404, 'connection_not_found'],
  ] as const) {
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  }
  expect(await service.recordOf(off)).not.toHaveProperty('pollAskedAt');
});

test('providers are listed with what a person enters there', async () => {
  const owner = anAccountant();
  const { status, body } = await service.call('GET', '/invoice-providers', { as: owner });
  expect(status).toBe(200);
  expect(body).toEqual(
    expect.arrayContaining([
      {
        key: 'sandbox',
        name: 'Sandbox',
        webhookPath: '/webhooks/invoice-providers/sandbox',
        signatureHeader: 'x-sandbox-signature',
        takesOAuth: false,
        hasTokenUrl: false,
        takesRefusals: true,
      },
    ]),
  );
});
