import { companyCreated } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import {
  aKnownClient,
  anAccountant,
  anInvoice,
  hmac,
  type Service,
  signed,
  startService,
  webhookPath,
} from '../service.ts';

let service: Service;
/** A company whose webhooks are all refused. */
let refused: Awaited<ReturnType<typeof connected>>;
beforeAll(async () => {
  service = await startService();
  refused = await connected();
});
afterAll(() => service.stop());

const secret = 'the secret that both know';
const post = (raw: string | Buffer, headers: Record<string, string> = {}, path = webhookPath) =>
  service.call('POST', path, { raw, headers });
const jobsOf = (connectionId: string) => service.jobs().countDocuments({ connectionId, kind: 'fetch' });

async function connected(given: { webhookSecret?: string } = {}) {
  const { owner, id, apiKey } = await service.connected({ webhookSecret: secret, ...given });
  return { clientId: owner.companyId, id, apiKey, owner };
}

test('a signed webhook is accepted, and its invoices are fetched and published', async () => {
  const { clientId, id, apiKey } = await connected();
  const invoices = [anInvoice(), anInvoice()].map((invoice) => service.sandbox.put(apiKey, invoice));
  const { raw, headers } = signed(
    clientId,
    invoices.map((invoice) => invoice.id),
    secret,
  );
  const answer = await post(raw, headers);
  expect([answer.status, answer.body]).toEqual([202, { accepted: 2 }]);
  await eventually(() => {
    const fetched = service.fetched({ id }).map(({ external_id }) => external_id);
    expect(fetched.sort()).toEqual(invoices.map((one) => one.id).sort());
  });
});

test('what a provider adds to its webhooks does not stop them, and an id in capitals is the same id', async () => {
  const { clientId } = await connected();
  const raw = JSON.stringify({ clientId: clientId.toUpperCase(), sent: 1, events: [{ invoiceId: 'x', kind: 'new' }] });
  const answer = await post(raw, header(hmac(secret, raw)));
  expect([answer.status, answer.body]).toEqual([202, { accepted: 1 }]);
});

test('a company created a moment ago is known, even if its event arrives after the webhook', async () => {
  const company = { id: newId(), name: 'Acme', kind: 'client' as const, siret: null, siren: null };
  const { raw, headers } = signed(company.id, [], secret);
  const answered = post(raw, headers);
  await service.publish(companyCreated({ company }, new Date()));
  const answer = await answered;
  expect([answer.status, answer.body['code']]).toEqual([404, 'connection_not_found']);
});

const from = (address: string, { clientId }: { clientId: string }, key = secret) => {
  const { raw, headers } = signed(clientId, [], key);
  return post(raw, { ...headers, 'x-forwarded-for': address });
};
const wrongly = async (count: number, address: string, company: { clientId: string }) => {
  const sent = Array.from({ length: count }, () => from(address, company, 'another secret'));
  return (await Promise.all(sent)).map(({ status }) => status);
};

test('who signs wrongly too often is refused for a minute, for that company and from that address alone', async () => {
  const [one, other] = [await connected(), await connected()];
  expect(new Set(await wrongly(60, '192.0.2.1', one))).toEqual(new Set([401]));
  const answer = await from('192.0.2.1', one);
  expect([answer.status, answer.body['code']]).toEqual([429, 'too_many_attempts']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await from('192.0.2.1', other)).status).toBe(202);
  expect((await from('192.0.2.2', one)).status).toBe(202);
});

test('ids of no company count for the address that sends them, and for nobody else', async () => {
  const [address, neighbour] = ['192.0.2.7', '192.0.2.8'];
  // Old ones: for a company of this minute the service would wait.
  const guess = (sender: string) => from(sender, { clientId: newId(new Date('2020-01-01')) });
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 60 }, () => guess(address)));
    expect(new Set(answers.map(({ body }) => body['code']))).toEqual(new Set(['client_unknown']));
  }
  const answer = await guess(address);
  expect([answer.status, answer.body['code']]).toEqual([429, 'too_many_attempts']);
  expect((await guess(neighbour)).body['code']).toBe('client_unknown');
  expect((await from(address, await connected())).status).toBe(202);
});

test('over all companies an address may sign wrongly 300 times a minute; right signatures are taken from there all the same', async () => {
  const [address, neighbour] = ['2001:db8::1', '2001:db8::2'];
  for (let company = 0; company < 5; company++) {
    expect(new Set(await wrongly(60, address, await connected()))).toEqual(new Set([401]));
  }
  const [guessed, used] = [await connected(), await connected()];
  for (let time = 0; time < 5; time++) expect((await from(address, used)).status).toBe(202);
  expect([...(await wrongly(1, neighbour, guessed)), ...(await wrongly(1, address, guessed))]).toEqual([401, 429]);
  expect((await from(address, guessed)).body['code']).toBe('too_many_attempts');
  expect((await from(address, used)).status).toBe(202);
  expect(await wrongly(2, '192.0.2.3', guessed)).toEqual([401, 401]);
  expect((await from('192.0.2.3', guessed)).status).toBe(202);
});

type Request = { raw: string; headers: Record<string, string> };
const header = (value: string) => ({ 'x-sandbox-signature': value });
const seconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset;

// Every form of a signature: libs/providers/test/signature.test.ts.
test.each<[string, (right: Request) => Request]>([
  ['no signature', ({ raw }) => ({ raw, headers: {} })],
  ['that of another secret', ({ raw }) => ({ raw, headers: header(`sha256=${hmac('another', raw)}`) })],
  ['a body serialized again', ({ raw, headers }) => ({ raw: JSON.stringify(JSON.parse(raw), null, 1), headers })],
  [
    'the header of another provider',
    ({ raw }) => ({ raw, headers: { 'x-pennylane-signature': `sha256=${hmac(secret, raw)}` } }),
  ],
  [
    'a stale time',
    ({ raw }) => ({ raw, headers: header(`t=${seconds(-400)},v1=${hmac(secret, `${seconds(-400)}.${raw}`)}`) }),
  ],
])('%s is 401 and queues nothing', async (_fault, spoil) => {
  const { raw, headers } = spoil(signed(refused.clientId, ['i-1'], secret));
  const answer = await post(raw, headers);
  expect([answer.status, answer.body['code']]).toEqual([401, 'invalid_signature']);
  expect(await jobsOf(refused.id)).toBe(0);
});

test('a right signature with a time is accepted', async () => {
  const { clientId } = await connected();
  const { raw } = signed(clientId, ['i-1'], secret);
  expect((await post(raw, header(`t=${seconds()},v1=${hmac(secret, `${seconds()}.${raw}`)}`))).status).toBe(202);
});

test('a connection without a secret trusts no signature', async () => {
  const owner = anAccountant();
  await service.call('POST', '/invoice-connections', { as: owner, body: { provider: 'sandbox', apiKey: 'k' } });
  for (const guess of ['', 'null', 'undefined', secret]) {
    const { raw, headers } = signed(owner.companyId, ['i-1'], guess);
    expect((await post(raw, headers)).status).toBe(401);
  }
});

test('a replaced secret is the only one that counts', async () => {
  const { clientId, id, owner } = await connected();
  await service.call('PATCH', `/invoice-connections/${id}`, {
    as: owner,
    body: { webhookSecret: 'a newer secret of it' },
  });
  const old = signed(clientId, ['i-1'], secret);
  expect((await post(old.raw, old.headers)).status).toBe(401);
  const now = signed(clientId, ['i-1'], 'a newer secret of it');
  expect((await post(now.raw, now.headers)).status).toBe(202);
});

test.each([
  ['no body', '', 400, 'invalid_json'],
  ['no JSON', '{"clientId":', 400, 'invalid_json'],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'invalid_json'],
  ['no object', '12', 400, 'client_id_required'],
  ['null', 'null', 400, 'client_id_required'],
  ['no clientId', '{"events":[]}', 400, 'client_id_required'],
  ['a clientId that is no text', '{"clientId":12,"events":[]}', 400, 'client_unknown'],
  ['a clientId that hides an operator', '{"clientId":{"$gt":""},"events":[]}', 400, 'client_unknown'],
  ['an unknown client', `{"clientId":"${newId(new Date(0))}","events":[]}`, 400, 'client_unknown'],
])('a body with %s', async (_fault, raw, status, code) => {
  const answer = await post(raw, header(hmac(secret, raw)));
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
});

test('an unknown provider is 404, before anything else', async () => {
  const answer = await post('no JSON', {}, '/webhooks/invoice-providers/nobody');
  expect([answer.status, answer.body['code']]).toEqual([404, 'unknown_provider']);
});

test('a client without a connection, or with one that is off or deleted, is 404', async () => {
  const { companyId } = await aKnownClient(service);
  const { clientId, id, owner } = await connected();
  await service.call('PATCH', `/invoice-connections/${id}`, { as: owner, body: { active: false } });
  const another = await connected();
  await service.call('DELETE', `/invoice-connections/${another.id}`, { as: another.owner });
  for (const client of [companyId, clientId, another.clientId]) {
    const { raw, headers } = signed(client, ['i-1'], secret);
    const answer = await post(raw, headers);
    expect([answer.status, answer.body['code']]).toEqual([404, 'connection_not_found']);
  }
});

test('events above a thousand are 413, a thousand are accepted', async () => {
  const { clientId, id } = await connected();
  const ids = Array.from({ length: 1_001 }, (_, n) => `i-${n}`);
  const most = signed(clientId, ids.slice(1), secret);
  const tooMany = signed(clientId, ids, secret);
  expect((await post(tooMany.raw, tooMany.headers)).body['code']).toBe('too_many_events');
  expect(await jobsOf(id)).toBe(0);
  expect((await post(most.raw, most.headers)).body).toEqual({ accepted: 1_000 });
  expect(await jobsOf(id)).toBe(1_000);
});

test('a body over 1 MB is 413, even if signed', async () => {
  const raw = JSON.stringify({
    clientId: refused.clientId,
    events: [{ invoiceId: 'i-1', note: 'x'.repeat(1_100_000) }],
  });
  const answer = await post(raw, header(hmac(secret, raw)));
  expect([answer.status, answer.body['code']]).toEqual([413, 'payload_too_large']);
});

test.each([
  ['no events', {}, 'events'],
  ['events that are no list', { events: { invoiceId: 'i' } }, 'events'],
  ['an event without invoice', { events: [{ invoiceId: 'i' }, {}] }, 'events.1.invoiceId'],
  ['an empty id', { events: [{ invoiceId: '' }] }, 'events.0.invoiceId'],
  ['an id that is too long', { events: [{ invoiceId: 'x'.repeat(201) }] }, 'events.0.invoiceId'],
  ['an id that is a number', { events: [{ invoiceId: 7 }] }, 'events.0.invoiceId'],
])('a signed body with %s is 422 and queues nothing', async (_fault, rest, faulty) => {
  const raw = JSON.stringify({ clientId: refused.clientId, ...rest });
  const answer = await post(raw, header(hmac(secret, raw)));
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ errors: [{ path: faulty }] });
  expect(await jobsOf(refused.id)).toBe(0);
});

test("a company's secret signs for no other company", async () => {
  const [mine, other] = [
    await connected({ webhookSecret: 'the secret of mine' }),
    await connected({ webhookSecret: 'the secret of the other' }),
  ];
  const { raw, headers } = signed(other.clientId, ['i-1'], 'the secret of mine');
  expect((await post(raw, headers)).status).toBe(401);
  expect(await jobsOf(other.id)).toBe(0);
  expect(await jobsOf(mine.id)).toBe(0);
});
