import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SandboxProvider, startSandboxProvider } from '@app/sandbox-provider';
import { eventually, type Receiver, startReceiver, testInfra } from '@app/testing';
import axios from 'axios';
import Stripe from 'stripe';
import { type Account, linesOf, newAccount, ok } from '../e2e/invoicing.ts';
import { bodiesAt, caller, logIn, type Member, newTicket, pdfForm, stack } from '../e2e/platform.ts';
import { startPlatform, type TestPlatform } from '../setup/platform.ts';
import { dropPlatform, restorePlatform, withClient } from './dump.ts';
import { type OldData, silentReceiver } from './old-data.ts';

const fixture = join(__dirname, 'fixture');
const old = JSON.parse(readFileSync(join(fixture, 'old-data.json'), 'utf8')) as OldData;
const namespace = `upgrade${process.pid}-`;
const ids = (path: string) => path.split('/')[2] as string;

let platform: TestPlatform;
let receiver: Receiver;
let sandbox: SandboxProvider;
let client: Member;
let contractor: Member;
let account: Account;
/** Deliveries that waited when the old version was stopped. */
let waiting: string[];
/** The migrations of this version that the old data lacks; none if this release has no new one. */
let pendingBefore: string[];
let firstMigration: ReturnType<typeof migrate>;

/** `npm run migrate` with these options. */
function migrate(...options: string[]) {
  const { mongodbUrl: MONGODB_URL, amqpUrl: AMQP_URL } = testInfra();
  const program = join(__dirname, '../../tools/migrate/main.ts');
  const env = { ...process.env, MONGODB_URL, AMQP_URL, NAMESPACE: namespace };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options], { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** As an operator upgrades: the data of the version before, `npm run migrate`, then this version. */
beforeAll(async () => {
  const dir = process.env['STACK_DIR'] ?? '';
  receiver = await startReceiver([], join(dir, 'tls'));
  const url = testInfra().mongodbUrl;
  const replace = { [silentReceiver]: receiver.url('/old') };
  await restorePlatform({ dir: fixture, url, namespace, madeAt: new Date(old.madeAt), replace });
  waiting = await withClient(url, async (mongo) => {
    const deliveries = mongo.db(`${namespace}webhook-dispatcher`).collection<{ _id: string }>('deliveries');
    return (await deliveries.find({ status: 'failed' }).toArray()).map(({ _id }) => _id);
  });
  // Before the platform starts: a provider that refuses the credentials is left alone for a while.
  sandbox = await providerWithOldInvoices(url);
  pendingBefore = migrate('--list').output.match(/(?<=pending: )migration \S+/g) ?? [];
  firstMigration = migrate();
  platform = await startPlatform('upgrade', {
    ...{ NAMESPACE: namespace, ...old.keys, NODE_EXTRA_CA_CERTS: join(dir, 'tls', 'ca.pem') },
    PROVIDER_SANDBOX_URL: sandbox.url,
  });
  process.env['STACK_DIR'] = platform.dir;
  [client, contractor] = [await logIn(old.client), await logIn(old.contractor)];
  account = await newAccount(client, old.account);
}, 600_000);
afterAll(async () => {
  await platform?.stop();
  await receiver?.close();
  await sandbox?.close();
  await dropPlatform(testInfra().mongodbUrl, namespace);
});

test('npm run migrate brings the old data to this version, and has nothing to do a second time', () => {
  const { status, output } = firstMigration;
  expect([status, output.match(/(?<=done: )migration \S+/g) ?? []]).toEqual([0, pendingBefore]);
  const second = migrate();
  expect(second).toMatchObject({ status: 0, output: expect.not.stringContaining('done:') });
  expect(migrate('--list').output).not.toContain('pending: migration');
});

test('the deliveries that waited arrive, signed with the secret that the subscriber has', async () => {
  expect(waiting.length).toBeGreaterThan(5);
  await eventually(() => {
    const arrived = new Set(receiver.at('/old').map(({ headers }) => headers['x-service-delivery']));
    expect(waiting.filter((id) => !arrived.has(id))).toEqual([]);
  });
  for (const { headers, body } of receiver.at('/old'))
    Stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), old.endpoint.secret);
});

test('an old ticket is read as it was, and moves on to closed; its subscriber hears of it', async () => {
  const { path, quoteId, orderId, reference } = old.validated;
  const before = (await ok(client.api(`GET ${path}`))).data;
  expect(before).toMatchObject({ status: 'validated', title: 'Cold room too warm' });
  expect(before.quotes).toEqual([expect.objectContaining({ _id: quoteId, validated: true })]);
  expect(before.purchases).toEqual([expect.objectContaining({ _id: orderId, reference })]);
  const file = await axios.get(before.quotes[0].download_url, { responseType: 'text' });
  expect(file.data).toMatch(/^%PDF-1.4/);

  const [start, end] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
  await ok(contractor.api(`POST ${path}/dates`, { start, end, type: 'planned' }));
  await ok(contractor.api(`POST ${path}/dates`, { start, end, type: 'actual' }));
  await ok(client.api(`PUT ${path}/close`));
  expect((await client.api(`GET ${path}`)).data.status).toBe('closed');
  await eventually(() => {
    const changes = bodiesAt(receiver, '/old').filter(({ event }) => event === 'ticket.status_changed');
    const ofTicket = changes.filter(({ data }) => (data['ticket'] as { id: string }).id === ids(path));
    expect(ofTicket.map(({ data }) => (data['status'] as { to: string }).to)).toEqual(
      expect.arrayContaining(['intervention', 'finished', 'closed']),
    );
  });
});

test('old tickets are in every list: by status, by time, and for their contractor', async () => {
  const listed = async (member: Member, query: string) =>
    ((await ok(member.api(`GET /tickets?limit=200&${query}`))).data.tickets as { _id: string }[]).map(({ _id }) => _id);
  const all = [old.validated, old.invoiced, old.queued].map(({ path }) => ids(path));
  const since = new Date(old.madeAt).getTime() - 86_400_000;
  for (const query of ['', `updated_after=${since}`, `assigned_after=${since}`])
    for (const member of [client, contractor]) expect(await listed(member, query)).toEqual(expect.arrayContaining(all));
});

test('an old purchase document is written again without a second one, changed, and gets a receipt', async () => {
  const { path, orderId, quoteId, reference } = old.validated;
  const order = { kind: 'purchase_order', reference, quote_id: quoteId, amount: 500 };
  expect((await ok(client.api(`POST ${path}/purchases`, order))).data).toMatchObject({ created: false });
  await ok(client.api(`PATCH ${path}/purchases/${orderId}`, { amount: 512.5 }));
  await ok(client.api(`POST ${path}/purchases/${orderId}/document`, pdfForm({}, 64, 'new.pdf')));
  const receipt = { kind: 'goods_receipt', reference: 'GR-NEW', purchase_order_id: orderId };
  expect((await ok(client.api(`POST ${path}/purchases`, receipt))).status).toBe(201);
  const { purchases } = (await ok(client.api(`GET ${path}`))).data;
  expect(purchases).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ _id: orderId, amount: 512.5 }),
      expect.objectContaining({ reference: 'GR-NEW' }),
    ]),
  );
});

test('an old invoice of the queue is linked, and its provider hears of it by the old credentials', async () => {
  const { id, path } = old.queued;
  const { views } = (await ok(client.api(`GET ${path}`))).data;
  await ok(client.ts(`POST /invoices/${id}/link`, { ticketId: ids(path), viewId: views[0]._id }));
  expect(await linesOf(client, path)).toEqual([expect.objectContaining({ invoice_id: id })]);
  await eventually(async () => expect((await account.read(id)).state).toBe('done'));
  expect(await account.feedback()).toEqual([expect.objectContaining({ outcome: 'taken_in_charge' })]);
});

test('an old invoice that is held back goes into the queue; one that was matched stays on its ticket', async () => {
  await ok(client.ts(`POST /invoices/${old.inReview.id}/clear-review`));
  await eventually(async () => expect((await account.queue()).map(({ id }) => id)).toContain(old.inReview.id));
  expect(await linesOf(client, old.invoiced.path)).toEqual([expect.objectContaining(old.invoiced.line)]);
});

test('old credentials work: the API token, and the secret of the provider’s webhooks', async () => {
  const byToken = caller(`${stack().ticketApi}/api/v3.0`, old.client.apiToken);
  const path = await newTicket({ ...client, api: byToken });
  expect((await byToken(`GET ${path}`)).status).toBe(200);
  const { body, headers } = account.signed(['unknown-invoice']);
  expect((await account.post(body, headers)).status).toBe(202);
  expect((await account.post(body, { 'x-sandbox-signature': 'sha256=00' })).status).toBe(401);
});

/** The provider still has what it gave to the version before: its answers stand in the storage. */
async function providerWithOldInvoices(url: string): Promise<SandboxProvider> {
  const provider = await startSandboxProvider({ port: 0 });
  provider.setAccount({ apiKey: old.account.apiKey, clientId: old.client.companyId });
  await withClient(url, async (mongo) => {
    const files = mongo.db(`${namespace}storage`).collection<{ _id: string; content: { buffer: Buffer } }>('fs.files');
    const invoices = mongo.db(`${namespace}invoice-reconciliation`).collection('invoices');
    for (const { content } of await invoices.find().toArray()) {
      const file = await files.findOne({ _id: content.raw.key });
      provider.put(old.account.apiKey, JSON.parse(Buffer.from(file?.content.buffer ?? '').toString()));
    }
  });
  return provider;
}
