import { randomUUID } from 'node:crypto';
import { type Account, anInvoice, newBuyer, newJob, ok, post, signatureOf } from '../invoicing.ts';
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

test('the signature of another company is refused', async () => {
  const { body, headers } = sign(aWebhook().body, neighbour.secret);
  const answer = await post(body, headers);
  expect([answer.status, answer.data.code]).toEqual([401, 'invalid_signature']);
});

test('session, cookie and token do not count here, only the signature over the bytes as they were sent', async () => {
  const { body, headers } = sign(`\n${JSON.stringify(JSON.parse(aWebhook().body), null, 3)}\n`);
  const json = { 'content-type': 'application/json' };
  const path = 'POST /webhooks/invoice-providers/sandbox';
  expect((await client.ts(path, Buffer.from(body), json)).status).toBe(401);
  const wrong = { ...json, ...headers, authorization: 'Bearer nonsense', cookie: 'session=nonsense' };
  expect((await caller(stack().tsApi)(path, Buffer.from(body), wrong)).status).toBe(202);
});

test("another company's invoice, ticket and view do not exist", async () => {
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
