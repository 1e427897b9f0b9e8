import { randomUUID } from 'node:crypto';
import { eventually, type Receiver } from '@app/testing';
import { type Account, anInvoice, type Invoice, type Line, linesOf, newBuyer, newJob, ok } from '../invoicing.ts';
import { bodiesAt, type Contractor, type Member, newCompany, newReceiver, subscribe } from '../platform.ts';

/** Invoices from the provider to the ticket, as seen by a client, its contractor and the provider. */
let receiver: Receiver;
let client: Member;
let contractor: Contractor;
let account: Account;
/** Added at the provider before the connection exists: no poll lists it. */
let early: { reference: string; externalId: string };
let connectionId: string;
beforeAll(async () => {
  [receiver, client] = await Promise.all([newReceiver(), newCompany('client')]);
  ({ account, contractor } = await newBuyer(client));
  await Promise.all([subscribe(client, receiver, '/client'), subscribe(contractor, receiver, '/contractor')]);
  const reference = newReference();
  early = { reference, externalId: await account.put(naming(reference), { notify: false }) };
  connectionId = (await ok(account.connect())).data.id;
});
afterAll(() => receiver.close());

function newReference(): string {
  return `BC-${randomUUID().slice(0, 13).toUpperCase()}`;
}
const naming = (purchase_order: string, more: object = {}) => anInvoice({ references: { purchase_order }, ...more });
const order = (reference: string) => ({ reference, amount: 100 });

/** Ids of the invoices that an endpoint received, each delivery once. */
const invoicesAt = (path: string): string[] => {
  const deliveries = new Map(receiver.at(path).map((one) => [one.headers['x-service-delivery'], one]));
  return [...deliveries.values()]
    .filter(({ headers }) => headers['x-service-event'] === 'ticket.invoice_added')
    .map(({ body }) => JSON.parse(body.toString('utf8')).data.invoice.id);
};
/** How many deliveries about an invoice each party received. */
const timesNotified = (id: string) =>
  ['/client', '/contractor'].map((path) => invoicesAt(path).filter((found) => found === id).length);

async function onTicket(path: string): Promise<Line> {
  return eventually(async () => {
    const lines = await linesOf(client, path);
    expect(lines).toHaveLength(1);
    return lines[0] as Line;
  });
}

/** Waits until both parties got the event of the link and the provider has confirmed its feedback. */
async function done(id: string): Promise<void> {
  await eventually(async () => {
    expect([(await account.read(id)).state, ...timesNotified(id)]).toEqual(['done', 1, 1]);
  });
}

async function feedbackOf(externalId: string) {
  return (await account.feedback()).filter(({ invoiceId }) => invoiceId === externalId);
}

test('an invoice announced by a webhook that names a new order is matched automatically', async () => {
  const { path, id } = await newJob(client, contractor, order(early.reference));
  const { body, headers } = account.signed([early.externalId]);
  const answer = await account.post(body, headers);
  expect([answer.status, answer.data]).toEqual([202, { accepted: 1 }]);
  const line = await onTicket(path);
  expect(line).toMatchObject({
    price: '100',
    supplier: expect.objectContaining({ name: 'Fixit', siret: '73282932000074' }),
    amounts: { ht: 100, tva: 20, ttc: 120 },
  });
  await done(line.invoice_id);
  expect(await linesOf(contractor, path)).toEqual([line]);
  const invoice = await account.read(line.invoice_id);
  expect(invoice).toMatchObject({ ticket: id, supplierId: contractor.id, externalId: early.externalId });
  expect(invoice.feedback).toEqual({ outcome: 'taken_in_charge', result: 'sent' });
  expect(await feedbackOf(early.externalId)).toEqual([
    expect.objectContaining({ outcome: 'taken_in_charge', ticket: expect.objectContaining({ id }), changed: true }),
  ]);
  const [event] = bodiesAt(receiver, '/contractor').filter(({ data }) => 'invoice' in data);
  expect(event?.data['invoice']).toEqual({
    id: line.invoice_id,
    reference: line.reference,
    amount: 100,
    added_at: expect.any(String),
  });
});

test('an invoice without a webhook is found by polling, with its document', async () => {
  const reference = newReference();
  const { path } = await newJob(client, contractor, order(reference));
  const base64 = Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64');
  await account.put(naming(reference), {
    notify: false,
    document: { name: 'F-1.pdf', type: 'application/pdf', base64 },
  });
  await ok(client.ts(`POST /invoice-connections/${connectionId}/poll`));
  const { invoice_id } = await onTicket(path);
  await done(invoice_id);
  const { download_url } = (await ok(client.ts(`GET /invoices/${invoice_id}/document`))).data;
  expect((await fetch(download_url)).status).toBe(200);
});

test('an invoice that names only a ticket waits with a suggestion; once linked, its line is readable at once and published once', async () => {
  const { path, id } = await newJob(client, contractor);
  const { number, views } = (await client.api(`GET ${path}`)).data;
  const externalId = await account.put(anInvoice({ references: { ticket: number } }));
  const waiting = await eventually(async () => {
    const found = await account.queued(externalId);
    expect(found.suggestions).toEqual([
      expect.objectContaining({ ticketId: id, number, reasons: expect.arrayContaining([expect.any(String)]) }),
    ]);
    return found;
  });
  const [{ viewId } = { viewId: '' }] = waiting.suggestions;
  expect(views.map(({ _id }: { _id: string }) => _id)).toContain(viewId);
  expect((await ok(client.ts(`POST /invoices/${waiting.id}/link`, { ticketId: id, viewId }))).data).toEqual({
    ok: true,
  });
  expect(await linesOf(client, path)).toEqual([expect.objectContaining({ invoice_id: waiting.id })]);
  expect(await account.queue()).not.toContainEqual(expect.objectContaining({ id: waiting.id }));
  // Again: nothing changes.
  await ok(client.ts(`POST /invoices/${waiting.id}/link`, { ticketId: id, viewId }));
  await done(waiting.id);
  expect(await linesOf(client, path)).toHaveLength(1);
  expect(await feedbackOf(externalId)).toHaveLength(1);
});

test('an unlinked invoice waits again and loses its line; only a person links it to that ticket again', async () => {
  const { path, id } = await newJob(client, contractor);
  const reference = newReference();
  const { views } = (await client.api(`GET ${path}`)).data;
  const body = { ticketId: id, viewId: views[0]._id };
  const externalId = await account.put(naming(reference));
  const { id: invoiceId } = await account.queued(externalId);
  await ok(client.ts(`POST /invoices/${invoiceId}/link`, body));
  await eventually(async () => expect(await feedbackOf(externalId)).toHaveLength(1));
  expect((await ok(client.ts(`POST /invoices/${invoiceId}/unlink`))).data).toEqual({ ok: true });
  expect(await linesOf(client, path)).toEqual([]);
  expect((await account.queue()).find((one) => one.id === invoiceId)).toMatchObject({ ticket: null });
  expect((await ok(client.ts(`POST /invoices/${invoiceId}/unlink`))).data).toEqual({ ok: true });
  await eventually(async () =>
    expect((await feedbackOf(externalId)).map(({ outcome }) => outcome)).toEqual(['taken_in_charge', 'reversed']),
  );

  // The ticket gets the order that the invoice names; another ticket has one of that name without an amount.
  await ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_order', ...order(reference) }));
  const other = await newJob(client, contractor, { reference });
  await eventually(async () => {
    const { state, suggestions } = await account.read(invoiceId);
    expect([state, suggestions.map(({ ticketId }) => ticketId)]).toEqual(['ticket_unmatched', [other.id]]);
  });
  expect(await linesOf(client, path)).toEqual([]);
  await ok(client.ts(`POST /invoices/${invoiceId}/link`, body));
  expect(await linesOf(client, path)).toHaveLength(1);
});

test('an order made later is matched with the invoice that waits for it', async () => {
  const reference = newReference();
  const { id } = await account.queued(await account.put(naming(reference)));
  const { path } = await newJob(client, contractor, order(reference));
  expect((await onTicket(path)).invoice_id).toBe(id);
  await done(id);
});

test('the same invoice under two ids goes to review, with the reason, and not to the queue', async () => {
  const number = `FA-2026-${randomUUID().slice(0, 8)}`;
  const first = await account.queued(await account.put(anInvoice({ number })));
  const externalId = await account.put(anInvoice({ number: number.replaceAll('-', ' ').toLowerCase() }));
  const held = await eventually(async () => {
    const found = (await account.inReview()).find((one) => one.externalId === externalId);
    expect(found).toMatchObject({ state: 'manual_review', ticket: null });
    return found as Invoice;
  });
  const queue = (await account.queue()).map(({ id }) => id);
  expect([queue.includes(first.id), queue.includes(held.id)]).toEqual([true, false]);
  const { reasons, history } = await account.read(held.id);
  expect(reasons).toEqual(['duplicate_suspected']);
  expect(history.at(-1)).toMatchObject({ to: 'manual_review', reason: 'duplicate_suspected' });
  // An operator decides otherwise.
  await ok(client.ts(`POST /invoices/${held.id}/clear-review`));
  expect((await account.queued(externalId)).id).toBe(held.id);
  expect(await account.inReview()).not.toContainEqual(expect.objectContaining({ id: held.id }));
});

test('the same webhook ten times at once: one invoice, one line, one event, one feedback', async () => {
  const reference = newReference();
  const { path } = await newJob(client, contractor, order(reference));
  const externalId = await account.put(naming(reference), { notify: false });
  const { body, headers } = account.signed([externalId]);
  const answers = await Promise.all(Array.from({ length: 10 }, () => account.post(body, headers)));
  expect(answers.map(({ status, data }) => [status, data])).toEqual(Array(10).fill([202, { accepted: 1 }]));
  const { invoice_id: id } = await onTicket(path);
  await done(id);
  // Once a later invoice is done, any further deliveries about the ten would have arrived.
  const later = newReference();
  const job = await newJob(client, contractor, order(later));
  await account.put(naming(later));
  await done((await onTicket(job.path)).invoice_id);
  expect([(await linesOf(client, path)).map(({ invoice_id }) => invoice_id), timesNotified(id)]).toEqual([
    [id],
    [1, 1],
  ]);
  expect(await feedbackOf(externalId)).toHaveLength(1);
  expect((await account.read(id)).history.filter(({ to }) => to === 'ticket_matched')).toHaveLength(1);
});

test('a linked invoice stays linked when it is fetched again; one unknown to the provider does not appear', async () => {
  const reference = newReference();
  const { path } = await newJob(client, contractor, order(reference));
  const externalId = await account.put(naming(reference));
  const { invoice_id: id } = await onTicket(path);
  await done(id);
  const { history } = await account.read(id);
  const queue = (await account.queue()).length;
  for (const wanted of [externalId, randomUUID()]) {
    const answer = await client.ts('POST /invoices/resync', { provider: 'sandbox', externalId: wanted });
    expect([answer.status, answer.data]).toEqual([202, { ok: true }]);
  }
  const later = newReference();
  const job = await newJob(client, contractor, order(later));
  await account.put(naming(later));
  await done((await onTicket(job.path)).invoice_id);
  expect((await account.read(id)).history).toEqual(history);
  expect([(await account.queue()).length, (await linesOf(client, path)).length, timesNotified(id)]).toEqual([
    queue,
    1,
    [1, 1],
  ]);
});
