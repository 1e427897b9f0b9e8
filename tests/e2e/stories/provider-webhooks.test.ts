import { randomUUID } from 'node:crypto';
import { type Account, anInvoice, newAccount, newBuyer, newJob, ok, post, signatureOf } from '../invoicing.ts';
import { caller, type Member, newCompany, stack } from '../platform.ts';

/** Provider webhooks and connections: who is accepted, and what each company may see. */
let client: Member;
let account: Account;
let connectionId: string;
/** A company with the same data as the first one. */
let neighbour: Account;
beforeAll(async () => {
  client = await newCompany('client');
  ({ account } = await newBuyer(client));
  connectionId = (await ok(account.connect())).data.id;
  ({ account: neighbour } = await newBuyer(await newCompany('client')));
  await ok(neighbour.connect());
});

type Sent = { body: string; headers: Record<string, string> };
const sign = (body: string, secret = account.secret): Sent => ({ body, headers: signatureOf(body, secret) });
const aWebhook = () => account.signed(['x']);
const hex = () => aWebhook().headers['x-sandbox-signature']?.split('=')[1] ?? '';
const headed = (value: string): Sent => ({ body: aWebhook().body, headers: { 'x-sandbox-signature': value } });

test.each<[string, () => Sent]>([
  ['none', () => ({ body: aWebhook().body, headers: {} })],
  ['an empty one', () => headed('')],
  ['a digest cut short', () => headed(`sha256=${hex().slice(0, 40)}`)],
  ['no hexadecimal', () => headed(`sha256=${'z'.repeat(64)}`)],
  ['another algorithm', () => headed(`sha1=${hex()}`)],
  ['one of another header', () => ({ body: aWebhook().body, headers: { 'x-pennylane-signature': `sha256=${hex()}` } })],
  ['one by another secret', () => sign(aWebhook().body, 'another secret')],
  ["one by the neighbour's secret", () => sign(aWebhook().body, neighbour.secret)],
  ['one by an empty secret', () => sign(aWebhook().body, '')],
  [
    'one over the same JSON, written otherwise',
    () => ({ body: JSON.stringify(JSON.parse(aWebhook().body), null, 1), headers: aWebhook().headers }),
  ],
  [
    'one over a body to which a line end was added',
    () => ({ body: `${aWebhook().body}\n`, headers: aWebhook().headers }),
  ],
])('a webhook with %s as signature is 401, and fetches nothing', async (_name, sent) => {
  const { body, headers } = sent();
  const answer = await post(body, headers);
  expect([answer.status, answer.data.code]).toEqual([401, 'invalid_signature']);
});

test('the bytes count, not their meaning: any JSON that is signed as it stands is taken', async () => {
  const written = JSON.stringify(JSON.parse(aWebhook().body), null, 3).replace('"x"', '"\\u0078"');
  const { body, headers } = sign(`\n${written}\n`);
  const answer = await post(body, headers);
  expect([answer.status, answer.data]).toEqual([202, { accepted: 1 }]);
});

test.each<[string, () => Sent, number, string | null]>([
  ['is for nobody', () => sign('{"events": []}'), 400, 'client_id_required'],
  ['is for an unknown client', () => sign(`{"clientId": "${'f'.repeat(24)}", "events": []}`), 400, 'client_unknown'],
  ['names its client by no id', () => sign('{"clientId": "acme", "events": []}'), 400, 'client_unknown'],
  ['is no JSON', () => sign('{"clientId":'), 400, 'invalid_json'],
  ['has no events', () => sign(`{"clientId": "${client.companyId}"}`), 422, null],
  ['names no invoice', () => sign(`{"clientId": "${client.companyId}", "events": [{}]}`), 422, null],
  ['names 1,001 invoices', () => account.signed(Array(1_001).fill('x')), 413, 'too_many_events'],
])('a signed webhook that %s is refused', async (_name, sent, status, code) => {
  const { body, headers } = sent();
  const answer = await post(body, headers);
  expect([answer.status, answer.data.code ?? null]).toEqual([status, code]);
});

test('an unknown provider, or a client that is not connected, is 404; a connection without secret trusts nobody', async () => {
  const { body, headers } = aWebhook();
  const nowhere = await caller(stack().tsApi)('POST /webhooks/invoice-providers/nobody', Buffer.from(body), {
    ...headers,
    'content-type': 'application/json',
  });
  expect([nowhere.status, nowhere.data.code]).toEqual([404, 'unknown_provider']);
  const other = await newAccount(await newCompany('client'));
  const sent = other.signed(['x']);
  const unconnected = await post(sent.body, sent.headers);
  expect([unconnected.status, unconnected.data.code]).toEqual([404, 'connection_not_found']);
  const made = await other.connect({ webhookSecret: undefined });
  expect([made.status, made.data.hasWebhookSecret]).toEqual([201, false]);
  for (const secret of [other.secret, '', 'null']) {
    const { headers: signed } = sign(sent.body, secret);
    expect((await post(sent.body, signed)).status).toBe(401);
  }
});

test('session, cookie and token do not count here, only the signature', async () => {
  const { body } = aWebhook();
  const json = { 'content-type': 'application/json' };
  const path = 'POST /webhooks/invoice-providers/sandbox';
  expect((await client.ts(path, Buffer.from(body), json)).status).toBe(401);
  const { headers } = aWebhook();
  const wrong = { ...json, ...headers, authorization: 'Bearer nonsense', cookie: 'session=nonsense' };
  expect((await caller(stack().tsApi)(path, Buffer.from(body), wrong)).status).toBe(202);
});

test('a deleted connection accepts no webhook and no resync, and another may be created', async () => {
  const gone = await newAccount(await newCompany('client'));
  const { id } = (await ok(gone.connect())).data;
  expect((await gone.connect()).data.code).toBe('connection_active_exists');
  expect((await gone.client.ts(`DELETE /invoice-connections/${id}`)).status).toBe(204);
  const { body, headers } = gone.signed(['x']);
  expect((await post(body, headers)).status).toBe(404);
  const resync = (provider: string) =>
    gone.client.ts('POST /invoices/resync', { provider, externalId: 'x' }).then(({ status }) => status);
  expect([await resync('sandbox'), await resync('nobody')]).toEqual([404, 400]);
  expect((await gone.client.ts('POST /invoice-connections', { provider: 'nobody', apiKey: 'k' })).status).toBe(400);
  expect((await gone.connect()).status).toBe(201);
});

test("another company's invoice, ticket, view and connection do not exist", async () => {
  const own = await newJob(client, await contractorOf(client));
  const theirs = await newJob(neighbour.client, await contractorOf(neighbour.client));
  const { id } = await account.queued(await account.put(anInvoice()));
  const other = await neighbour.queued(await neighbour.put(anInvoice()));
  const viewOf = async (member: Member, path: string) => (await member.api(`GET ${path}`)).data.views[0]._id as string;
  const [viewId, foreignView] = [await viewOf(client, own.path), await viewOf(neighbour.client, theirs.path)];
  const link = async (invoice: string, body: object) => {
    const { status, data } = await client.ts(`POST /invoices/${invoice}/link`, body);
    return [status, data.code];
  };
  expect(await link(other.id, { ticketId: own.id, viewId })).toEqual([404, 'invoice_not_found']);
  expect(await link(id, { ticketId: theirs.id, viewId: foreignView })).toEqual([404, 'ticket_not_found']);
  expect(await link(id, { ticketId: 'f'.repeat(24), viewId })).toEqual([404, 'ticket_not_found']);
  expect(await link(id, { ticketId: own.id, viewId: foreignView })).toEqual([404, 'view_not_found']);
  expect(await link(id, { ticketId: own.id, viewId: 'f'.repeat(24) })).toEqual([404, 'view_not_found']);
  const [connection] = (await neighbour.client.ts('GET /invoice-connections')).data;
  expect((await client.ts(`PATCH /invoice-connections/${connection.id}`, { active: false })).status).toBe(404);
  expect((await account.queue()).map((one) => one.id)).toEqual([id]);
  expect((await neighbour.read(other.id)).state).toBe('ticket_unmatched');
});

/** Creates a new ticket; this test needs only a contractor. */
async function contractorOf(member: Member): Promise<{ id: string }> {
  return { id: (await ok(member.api('POST /contractors', { name: 'Fixit' }))).data._id };
}

test('no answer shows a secret: not of a connection, not of an invoice, not of a refusal', async () => {
  const [apiKey, webhookSecret] = [`key-${randomUUID()}`, `secret-${randomUUID()}`];
  const answers = [
    await client.ts('GET /invoice-connections'),
    await client.ts(`PATCH /invoice-connections/${connectionId}`, { apiKey, webhookSecret, active: true }),
    await client.ts(`PATCH /invoice-connections/${connectionId}`, { apiKey: [apiKey], webhookSecret: 'x'.repeat(513) }),
    await client.ts('POST /invoice-connections', { provider: 'sandbox', apiKey, webhookSecret }),
    await client.ts('POST /invoice-connections', { provider: 'nobody', apiKey, webhookSecret }),
    await client.ts('GET /invoices'),
    await post(aWebhook().body, aWebhook().headers),
    await client.ts(`PATCH /invoice-connections/${connectionId}`, {
      apiKey: account.apiKey,
      webhookSecret: account.secret,
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 409, 400, 200, 401, 200]);
  const shown = JSON.stringify(answers.map(({ data, headers }) => [data, headers]));
  const secrets = [apiKey, webhookSecret, account.apiKey, account.secret];
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  expect(answers[1]?.data).toMatchObject({ hasCredentials: true, hasWebhookSecret: true });
});
