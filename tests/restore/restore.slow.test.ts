import { behaviours, eventually } from '@app/testing';
import { type Account, anInvoice, type Invoice, linesOf, newBuyer, newJob, ok } from '../e2e/invoicing.ts';
import {
  bodiesAt,
  type Contractor,
  caller,
  type Member,
  newCompany,
  newTicket,
  pdfForm,
  stack,
  subscribe,
} from '../e2e/platform.ts';
import { findInconsistencies, type Inconsistency } from './consistency.ts';
import { addAccountAgain, logInAgain, RestoredPlatform } from './restored-platform.ts';

type Purchase = { _id: string; reference: string; amount: number | null };

let platform: RestoredPlatform;
let client: Member;
let contractor: Contractor;
let account: Account;

beforeAll(async () => {
  platform = await RestoredPlatform.start();
  client = await newCompany('client');
  ({ contractor, account } = await newBuyer(client));
  await subscribe(client, platform.receiver);
  await ok(account.connect());
}, 600_000);
afterAll(() => platform?.close(), 120_000);

/** As an operator does it: stop, restore, `npm run ops -- restored`, start. @returns what the command said */
async function restore(...copies: [service: string, copy: Awaited<ReturnType<RestoredPlatform['copy']>>][]) {
  await platform.stop();
  for (const [service, copy] of copies) await platform.restoreDatabase(service, copy);
  const said = await platform.restored(...copies.map(([service]) => service));
  await platform.startAgain();
  [client, contractor] = [await logInAgain(client), await logInAgain(contractor)];
  account = await addAccountAgain(client, account);
  return said;
}

const idOf = (path: string) => path.split('/')[2] as string;
const ticketAt = async (path: string) => (await ok(client.api(`GET ${path}`))).data;
const purchasesAt = async (path: string): Promise<Purchase[]> => (await ticketAt(path)).purchases;
const numberAt = async (path: string): Promise<number> => Number((await ticketAt(path)).number.slice(2));
const order = (path: string, reference: string, amount = 100) =>
  ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_order', reference, amount }));

/** An invoice for the ticket of an order, once it is on that ticket and its provider knows. */
async function invoiced(path: string, reference: string): Promise<Invoice> {
  await account.put(anInvoice({ references: { purchase_order: reference } }));
  return eventually(async () => {
    const [line] = await linesOf(client, path);
    if (!line) throw new Error(`there is no invoice on ${path} yet`);
    const invoice = await account.read(line.invoice_id);
    if (invoice.state !== 'done') throw new Error(`the invoice is ${invoice.state}`);
    return invoice;
  });
}

/** Whatever services keep of each other is the same, and no message was given up. */
async function agree(): Promise<void> {
  await eventually(async () => expect(await findInconsistencies(platform)).toEqual([] as Inconsistency[]));
  expect(await platform.deadLetters()).toContain('no dead letters');
}

const reviewed = (id: string) =>
  eventually(async () =>
    expect(await account.read(id)).toMatchObject({ state: 'manual_review', reasons: ['ticket_gone'] }),
  );

test('the ticket service is restored to an hour ago: everything agrees with it again', async () => {
  const kept = await newJob(client, contractor, { reference: 'PO-KEPT', amount: 100 });
  const onKept = await invoiced(kept.path, 'PO-KEPT');
  const unassigned = await newTicket(client);
  await agree();
  const backup = await platform.copy('ticket');

  // The hour that will be lost.
  for (const title of ['1', '2', '3']) {
    await ok(contractor.api(`POST ${kept.path}/quotes`, pdfForm({ reference: `D-${title}`, price: '5' })));
  }
  await ok(client.api(`POST ${unassigned}/assign`, { contractor_id: contractor.id }));
  await order(unassigned, 'PO-LATE');
  const [late] = await purchasesAt(unassigned);
  await ok(client.api(`POST ${unassigned}/purchases/${late?._id}/document`, pdfForm({}, 64, 'late.pdf')));
  const onLostView = await invoiced(unassigned, 'PO-LATE');
  const lost = await newJob(client, contractor, { reference: 'PO-LOST', amount: 100 });
  const onLost = await invoiced(lost.path, 'PO-LOST');
  const lostNumber = await numberAt(lost.path);
  const lostContractor = (await ok(client.api('POST /contractors', { name: 'Lost', siret: '55208131766522' }))).data
    ._id;
  await ok(client.api('POST /locations', { name: 'Lost location' }));
  await agree();

  const said = await restore(['ticket', backup]);
  expect(said).toMatch(/raised: the versions of \d+ tickets/);
  await agree();

  // What was there is there, as it was, and with what the other services did meanwhile.
  expect(await ticketAt(kept.path)).toMatchObject({ quotes: [], purchases: [{ reference: 'PO-KEPT' }] });
  expect(await linesOf(client, kept.path)).toEqual([expect.objectContaining({ invoice_id: onKept.id })]);
  expect((await account.read(onKept.id)).state).toBe('done');
  const again = await ticketAt(unassigned);
  expect(again.purchases).toEqual([expect.objectContaining({ _id: late?._id, document_id: expect.any(String) })]);
  const documents = (await ok(client.api(`GET ${unassigned}/documents`))).data.documents;
  expect(documents).toEqual([expect.objectContaining({ name: 'late.pdf' })]);

  // What is lost is gone everywhere. What depends on it waits for a person, and the operator can see it.
  expect((await client.api(`GET ${lost.path}`)).status).toBe(404);
  await reviewed(onLost.id);
  await reviewed(onLostView.id);
  const list = await platform.restored('ticket', '--list');
  for (const one of [lost.id, 'purchase_order PO-LOST', lostContractor, 'Lost location']) expect(list).toContain(one);
  await ok(client.ts(`POST /invoices/${onLost.id}/unlink`));
  await eventually(async () => expect((await account.queue()).map(({ id }) => id)).toContain(onLost.id));

  // What happens from now on counts, everywhere; numbers of the lost time are given to nothing else.
  const created = await newTicket(client);
  expect(await numberAt(created)).toBeGreaterThan(lostNumber);
  await ok(client.api(`POST ${unassigned}/assign`, { contractor_id: contractor.id }));
  await order(unassigned, 'PO-NEW');
  expect((await purchasesAt(unassigned)).map(({ reference }) => reference)).toEqual(['PO-LATE', 'PO-NEW']);
  const { views } = await ticketAt(unassigned);
  const view = views.find(({ role }: { role: string }) => role === 'contractor');
  await ok(client.ts(`POST /invoices/${onLostView.id}/link`, { ticketId: idOf(unassigned), viewId: view._id }));
  expect(await linesOf(client, unassigned)).toEqual([expect.objectContaining({ invoice_id: onLostView.id })]);
  await ok(client.api(`PUT ${kept.path}/cancel`));
  await reviewed(onKept.id);
  await eventually(() => {
    const heard = bodiesAt(platform.receiver).filter(({ event }) => event === 'ticket.status_changed');
    const ofKept = heard.filter(({ data }) => (data['ticket'] as { id: string }).id === kept.id);
    expect(ofKept.at(-1)?.data['status']).toMatchObject({ to: 'canceled' });
  });
  await agree();
}, 600_000);

test('the purchase service is restored to an hour ago: tickets and matching show its documents again', async () => {
  const job = await newJob(client, contractor, { reference: 'PO-1', amount: 100 });
  await order(job.path, 'PO-DELETED', 70);
  const [first, deleted] = await purchasesAt(job.path);
  await agree();
  const backup = await platform.copy('purchase');

  await ok(client.api(`PATCH ${job.path}/purchases/${first?._id}`, { amount: 200 }));
  await ok(client.api(`PATCH ${job.path}/purchases/${first?._id}`, { amount: 300 }));
  await ok(client.api(`DELETE ${job.path}/purchases/${deleted?._id}`));
  await order(job.path, 'PO-GONE', 40);
  const gone = (await purchasesAt(job.path)).find(({ reference }) => reference === 'PO-GONE');
  await agree();

  expect(await restore(['purchase', backup])).toMatch(/raised: the versions of \d+ purchase documents/);
  await agree();
  expect((await purchasesAt(job.path)).map(({ reference, amount }) => [reference, amount])).toEqual([
    ['PO-1', 100],
    ['PO-DELETED', 70],
  ]);
  expect(await platform.restored('purchase', '--list')).toContain(gone?._id);

  await ok(client.api(`PATCH ${job.path}/purchases/${first?._id}`, { amount: 250 }));
  await order(job.path, 'PO-GONE', 45);
  expect((await purchasesAt(job.path)).map(({ reference, amount }) => [reference, amount])).toEqual([
    ['PO-1', 250],
    ['PO-DELETED', 70],
    ['PO-GONE', 45],
  ]);
  await agree();
}, 600_000);

test('reconciliation and identity are restored to an hour ago: invoices come back once, and users log in again', async () => {
  const job = await newJob(client, contractor, { reference: 'PO-FIRST', amount: 100 });
  const before = await invoiced(job.path, 'PO-FIRST');
  await agree();
  const backups = {
    identity: await platform.copy('identity'),
    reconciliation: await platform.copy('invoice-reconciliation'),
  };

  const after = await newJob(client, contractor, { reference: 'PO-SECOND', amount: 100 });
  const arrived = await invoiced(after.path, 'PO-SECOND');
  await ok(client.ts(`POST /invoices/${before.id}/unlink`));
  const lostCompany = await newCompany('client');
  const { session } = client;
  await agree();

  await restore(['identity', backups.identity], ['invoice-reconciliation', backups.reconciliation]);
  await agree();
  // The unlinking is lost: the invoice is where it was. The one that came meanwhile is fetched again, under another id.
  expect(await linesOf(client, job.path)).toEqual([expect.objectContaining({ invoice_id: before.id })]);
  const lines = await eventually(async () => {
    const found = await linesOf(client, after.path);
    expect(found).toEqual([expect.objectContaining({ reference: expect.any(String) })]);
    expect(found[0]?.invoice_id).not.toBe(arrived.id);
    return found;
  });
  await eventually(async () => expect((await account.read(lines[0]?.invoice_id as string)).state).toBe('done'));
  expect(await platform.restored('invoice-reconciliation', '--list')).toContain(arrived.id);
  expect(await platform.restored('identity', '--list')).toContain(lostCompany.companyId);
  // A session that was ended meanwhile would be valid again, so all are ended.
  expect((await caller(stack().tsApi, session)('GET /auth/session')).status).toBe(401);
  await ok(client.ts(`POST /invoices/${before.id}/unlink`));
  expect(await linesOf(client, job.path)).toEqual([]);
  await agree();
}, 600_000);

test('connection is restored with a fetch and an outcome in flight: files stay, and the provider hears of each outcome once', async () => {
  const [told, fetched] = [
    await newJob(client, contractor, { reference: 'PO-TOLD', amount: 100 }),
    await newJob(client, contractor, { reference: 'PO-FETCHED', amount: 100 }),
  ];
  const inFlight = (kind: string) =>
    eventually(async () =>
      expect(
        await platform.read('connection', (database) =>
          database.collection('jobs').countDocuments({ kind, lease: { $type: 'string' } }),
        ),
      ).toBeGreaterThan(0),
    );
  platform.provider.fail({ kind: 'hang', on: 'POST /invoices/[^/]+/feedback' });
  const toldId = await account.put(anInvoice({ references: { purchase_order: 'PO-TOLD' } }));
  await inFlight('feedback');
  platform.provider.fail({ kind: 'hang', on: 'GET /invoices/[^/?]+/document' });
  const document = {
    name: 'invoice.pdf',
    type: 'application/pdf',
    bytes: Buffer.from('%PDF-1.4\n% restored\n%%EOF\n'),
  };
  const given = anInvoice({ references: { purchase_order: 'PO-FETCHED' } }) as Record<string, unknown>;
  const { id: fetchedId } = platform.provider.put(account.apiKey, given, document);
  await platform.provider.notify(account.apiKey, [fetchedId]);
  await inFlight('fetch');
  const backup = await platform.copy('connection');

  // The time that will be lost: both end.
  platform.provider.heal();
  const outcomesOf = (id: string) =>
    platform.provider
      .feedback(account.apiKey)
      .filter(({ invoiceId }) => invoiceId === id)
      .map(({ outcome }) => outcome);
  const doneOn = (path: string) =>
    eventually(async () => {
      const [line] = await linesOf(client, path);
      const invoice = await account.read(line?.invoice_id as string);
      expect(invoice.state).toBe('done');
      return invoice;
    });
  const undone = await doneOn(told.path);
  const kept = await doneOn(fetched.path);
  await ok(client.ts(`POST /invoices/${undone.id}/unlink`));
  await eventually(async () => expect(outcomesOf(toldId)).toEqual(['taken_in_charge', 'reversed']));
  await agree();

  await restore(['connection', backup]);
  await agree();
  // The fetch of the backup ends: what it stores is the same content.
  await ok(client.ts('POST /invoices/resync', { provider: 'sandbox', externalId: fetchedId }));
  await eventually(async () =>
    expect(
      await platform.read('connection', (database) =>
        database.collection('jobs').countDocuments({ dueAt: { $exists: true } }),
      ),
    ).toBe(0),
  );
  expect(outcomesOf(toldId)).toEqual(['taken_in_charge', 'reversed']);
  expect(outcomesOf(fetchedId)).toEqual(['taken_in_charge']);
  const { download_url } = (await ok(client.ts(`GET /invoices/${kept.id}/document`))).data;
  const answer = await fetch(download_url);
  expect([answer.status, await answer.text()]).toEqual([200, document.bytes.toString()]);
}, 600_000);

test('the dispatcher is restored with deliveries in flight: each arrives under the id that it had', async () => {
  const path = '/in-flight';
  await subscribe(client, platform.receiver, path);
  platform.receiver.behave(behaviours.hang, path);
  const ticket = await newTicket(client);
  await ok(client.api(`POST ${ticket}/notes`, { note: 'in flight', type: 'public' }));
  await eventually(() => expect(platform.receiver.at(path)).not.toEqual([]));
  const [id] = platform.receiver.at(path).map(({ headers }) => headers['x-service-delivery']);
  // It is stored once its attempt takes long.
  await eventually(async () =>
    expect(
      await platform.read('webhook-dispatcher', (database) =>
        database.collection<{ _id: string }>('deliveries').countDocuments({ _id: id as string }),
      ),
    ).toBe(1),
  );
  const backup = await platform.copy('webhook-dispatcher');
  platform.receiver.behave(behaviours.ok, path);
  await ok(client.api(`POST ${ticket}/notes`, { note: 'lost', type: 'public' }));
  await eventually(() => expect(bodiesAt(platform.receiver, path)).toHaveLength(2));
  await agree();
  const before = platform.receiver.at(path).length;

  await restore(['webhook-dispatcher', backup]);
  await ok(client.api(`POST ${ticket}/notes`, { note: 'after', type: 'public' }));
  await eventually(() => {
    const after = platform.receiver.at(path).slice(before);
    expect(after.map(({ headers }) => headers['x-service-delivery'])).toContain(id);
    expect(bodiesAt(platform.receiver, path).map(({ data }) => (data['message'] as { text: string }).text)).toEqual([
      'in flight',
      'lost',
      'after',
    ]);
  });
  await agree();
}, 600_000);
