import { createHash } from 'node:crypto';
import { eventually, unzip } from '@app/testing';
import { anInvoice, newAccount } from '../invoicing.ts';
import {
  type Contractor,
  caller,
  newCompany,
  newContractorOf,
  newReceiver,
  newTicket,
  ok,
  pdfForm,
  stack,
  subscribe,
} from '../platform.ts';

const administrator = () => caller(stack().tsApi, stack().adminToken);

/** A company with one of everything, and the secrets that let somebody in. */
async function aCompany() {
  const owner = await newCompany('client');
  const receiver = await newReceiver();
  const endpoint = await subscribe(owner, receiver);
  const contractor = await newContractorOf(owner);
  const ticket = await newTicket(owner, { title: 'Boiler' });
  await ok(owner.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  await ok(owner.api(`POST ${ticket}/notes`, { note: 'By the back door', type: 'internal' }));
  await ok(owner.api(`POST ${ticket}/documents`, pdfForm({}, 5_000, 'plan.pdf')));
  await ok(contractor.api(`POST ${ticket}/quotes`, pdfForm({ reference: 'D-1', price: '10' }, 300, 'devis.pdf')));
  const order = await ok(owner.api(`POST ${ticket}/purchases`, { kind: 'purchase_order', reference: 'PO-1' }));
  await ok(owner.api(`POST ${ticket}/purchases/${order.data.purchase.id}/document`, pdfForm({}, 400, 'order.pdf')));
  const token = await ok(owner.ts('POST /api-tokens', { name: 'erp' }));
  const account = await newAccount(owner);
  await ok(account.connect());
  const invoice = await account.queued(await account.put(anInvoice()));
  await eventually(() => expect(receiver.at('/').length).toBeGreaterThan(0));
  await eventually(async () => expect((await ok(owner.ts('GET /notifications/count'))).data.unread).toBeGreaterThan(0));
  await receiver.close();
  const secrets = [endpoint.secret, token.data.token, account.apiKey, owner.session, owner.password];
  return { owner, contractor, ticket: ticket.split('/')[2] as string, invoice, secrets };
}

async function exported(companyId: string) {
  const { status, data } = await administrator()(`POST /admin/companies/${companyId}/exports`);
  expect([status, data.state]).toEqual([202, 'collecting']);
  const done = await eventually(async () => {
    const { data: found } = await administrator()(`GET /admin/exports/${data.id}`);
    expect(found).toMatchObject({ state: 'done', error: null });
    return found;
  });
  const answer = await fetch(`${stack().tsApi}/admin/exports/${data.id}/file`, {
    headers: { authorization: `Bearer ${stack().adminToken}` },
  });
  expect(answer.status).toBe(200);
  const { paths } = (await caller(stack().tsApi)('GET /openapi.json')).data;
  const { content } = paths['/admin/exports/{id}/file'].get.responses[200];
  expect(Object.keys(content)).toEqual([answer.headers.get('content-type')]);
  expect(answer.headers.get('content-disposition')).toContain(`export-${companyId}-`);
  const files = await unzip(Buffer.from(await answer.arrayBuffer()));
  return { id: data.id as string, done, files };
}

const linesOf = (files: Map<string, Buffer>, kind: string) =>
  String(files.get(`${kind}.jsonl`))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** What is stored of an API token instead of it. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');

test('a company takes along all that it has, without secrets, and nothing of anybody else', async () => {
  const [{ owner, contractor, ticket, invoice, secrets }, stranger] = await Promise.all([aCompany(), aCompany()]);
  const { id, done, files } = await exported(owner.companyId);

  const counts = Object.fromEntries(done.progress.kinds.map(({ kind, count }: never) => [kind, count]));
  expect(counts).toMatchObject({
    company: 1,
    users: 1,
    api_tokens: 1,
    tickets: 1,
    notes: 1,
    documents: 2,
    contractors: 1,
    purchases: 1,
    invoices: 1,
    invoice_connections: 1,
    webhook_endpoints: 1,
  });
  expect(counts['audit_log']).toBeGreaterThan(2);
  expect(counts['notifications']).toBeGreaterThan(0);
  expect(counts['webhook_deliveries']).toBeGreaterThan(0);
  for (const [kind, count] of Object.entries(counts))
    expect([kind, linesOf(files, kind).length]).toEqual([kind, count]);
  const manifest = JSON.parse(String(files.get('manifest.json')));
  expect(manifest).toMatchObject({ format: 'company-export', version: 1, export_id: id, missing_files: [] });
  expect(linesOf(files, 'tickets')).toMatchObject([{ _id: ticket, title: 'Boiler', quotes: [{ reference: 'D-1' }] }]);
  expect(linesOf(files, 'invoices')).toMatchObject([{ id: invoice.id }]);

  const plan = linesOf(files, 'documents').find(({ name }) => name === 'plan.pdf');
  expect(files.get(plan.file)).toEqual(Buffer.from(`%PDF-1.4\n${' '.repeat(4_985)}%%EOF\n`));
  const [order] = linesOf(files, 'purchases');
  expect(files.get(order.file)).toHaveLength(400);
  // plan, quote, order once though two things name it, and of the invoice what was sent.
  const names = [...files.keys()].filter((path) => path.startsWith('files/'));
  expect(names.filter((path) => /\/(plan|devis|order)\.pdf$/.test(path))).toHaveLength(3);
  expect(manifest.files).toBe(names.length);
  expect(done.progress.files).toEqual({ total: names.length, done: names.length });

  const all = String([...files.keys(), ...files.values()]);
  for (const theirs of [stranger.owner, stranger.contractor]) {
    for (const one of [theirs.companyId, theirs.userId, theirs.email]) expect(all).not.toContain(one);
  }
  for (const one of [stranger.ticket, stranger.invoice.id, contractor.email]) expect(all).not.toContain(one);
  for (const secret of [...secrets, ...secrets.map(hashOf), 'scrypt$', 'password_hash', 'sealed'])
    expect(all).not.toContain(secret);

  await eventually(async () => {
    const { data } = await owner.ts('GET /audit');
    const actions = data.items.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['export.requested', 'export.downloaded']));
  });
}, 180_000);

test('a closed company is exported, its contractor sees of it what it saw, and neither may export itself', async () => {
  const client = await newCompany('client');
  const contractor: Contractor = await newContractorOf(client);
  const ticket = await newTicket(client, { title: 'Shared' });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  await ok(client.api(`POST ${ticket}/notes`, { note: 'for us alone', type: 'internal' }));
  expect((await client.ts(`POST /admin/companies/${client.companyId}/exports`)).status).toBe(403);
  await ok(administrator()(`POST /admin/companies/${client.companyId}/close`));
  const [own, theirs] = await Promise.all([exported(client.companyId), exported(contractor.companyId)]);
  expect(linesOf(own.files, 'notes')).toMatchObject([{ note: 'for us alone' }]);
  expect(linesOf(own.files, 'company')).toMatchObject([{ closed_at: expect.any(String) }]);
  expect(linesOf(theirs.files, 'tickets')).toMatchObject([{ title: 'Shared' }]);
  expect(String([...theirs.files.values()])).not.toContain('for us alone');
  expect((await contractor.ts(`GET /admin/exports/${theirs.id}/file`)).status).toBe(403);
}, 180_000);

test('a user has every list as a file made in the background, the same as its download', async () => {
  const { owner } = await aCompany();
  const { data: endpoints } = await ok(owner.ts('GET /webhooks/endpoints'));
  const deliveries = `/webhooks/endpoints/${endpoints.items[0].id}/deliveries`;
  await eventually(async () => {
    const { data } = await ok(owner.ts(`GET ${deliveries}`));
    const statuses = data.items.map(({ status }: { status: string }) => status);
    expect(statuses.filter((one: string) => one === 'pending' || one === 'failed')).toEqual([]);
  });
  const bytes = async (path: string) => {
    const headers = { authorization: `Bearer ${owner.session}` };
    const answer = await fetch(`${stack().tsApi}${path}`, { headers });
    expect([path, answer.status]).toEqual([path, 200]);
    return Buffer.from(await answer.arrayBuffer());
  };
  const made = async (download: string) => {
    const { id } = (await ok(owner.ts('POST /exports', { download }))).data;
    await eventually(async () =>
      expect((await ok(owner.ts(`GET /exports/${id}`))).data).toMatchObject({ state: 'done', error: null }),
    );
    return bytes(`/exports/${id}/file`);
  };
  for (const path of [
    '/api/v3.0/tickets/export',
    '/api/v3.0/contractors/export',
    '/api/v3.0/locations/export',
    '/company/users/export',
    '/invoices/export',
    `${deliveries}/export`,
  ]) {
    const download = `${path}?format=csv&language=fr`;
    expect([path, (await made(download)).equals(await bytes(download))]).toEqual([path, true]);
  }
  const { data: files } = await ok(owner.ts('GET /exports'));
  const names = files.items.map(({ file_name: name }: { file_name: string }) => name.replace(/-[\d-]+\./, '.'));
  expect(names).toEqual(
    ['deliveries', 'invoices', 'users', 'locations', 'contractors', 'tickets'].map((name) => `${name}.csv`),
  );
  // Each export is an entry of the log.
  const log = String(await made('/audit/export?action=export.requested'));
  expect(log.trim().split('\n').length).toBeGreaterThan(5);
}, 180_000);
