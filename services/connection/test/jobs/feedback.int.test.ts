import {
  type FeedbackRequested,
  type FeedbackSettled,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  noDetails,
  restoreTaskRequested,
} from '@app/contracts';
import { startHttpServer } from '@app/demo';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { anAccountant, anInvoice, type Connected, type Service, startService } from '../service.ts';

let pennylane: Awaited<ReturnType<typeof startPennylane>>;
let service: Service;
beforeAll(async () => {
  pennylane = await startPennylane();
  service = await startService({ providers: { PROVIDER_PENNYLANE_URL: pennylane.url } });
});
afterEach(() => service.sandbox.heal());
afterAll(async () => {
  await service.stop();
  await pennylane.close();
});

/** The part of Pennylane that stores the reference of an invoice. */
async function startPennylane() {
  const references = new Map<string, string | null>();
  const server = await startHttpServer(
    ({ method, path, body }) => {
      const [, collection, id, part] = path.split('/');
      if (collection !== 'supplier_invoices' || id === undefined || part !== undefined) {
        return { status: 200, json: { items: [], has_more: false, next_cursor: null } };
      }
      if (method === 'PUT') references.set(id, JSON.parse(body.toString('utf8')).external_reference);
      return { status: 200, json: { id: Number(id), external_reference: references.get(id) ?? null } };
    },
    { port: 0, before: async () => false },
  );
  return { ...server, references };
}

/** A connection, an invoice of it and a feedback request. */
async function linked() {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  return { ...connected, request: requestFor(connected, id) };
}

function requestFor({ owner, id }: Connected, externalId: string): FeedbackRequested {
  return {
    invoice_id: newId(),
    client_id: owner.companyId,
    connection_id: id,
    provider: 'sandbox',
    external_id: externalId,
    link_version: 1,
    outcome: 'taken_in_charge',
    ticket: { id: newId(), number: 'T-000042' },
    po_ref: 'PO-7',
    details: noDetails,
    asked_at: new Date().toISOString(),
    key: 'taken_in_charge/0',
    earlier_links: [],
  };
}

const ask = (request: FeedbackRequested) => service.publish(invoiceFeedbackRequested(request, new Date()));
const settled = ({ invoice_id }: FeedbackRequested): FeedbackSettled[] =>
  service.events(invoiceFeedbackSettled).filter((event) => event.invoice_id === invoice_id);
const results = (request: FeedbackRequested) => settled(request).map(({ result, reason }) => [result, reason]);

test('feedback is sent once for one link, however often it is requested, and its event says so', async () => {
  const { request, apiKey } = await linked();
  await Promise.all(Array.from({ length: 10 }, () => ask(request)));
  await eventually(() => expect(settled(request)).toHaveLength(1));
  await ask(request);
  const marker = await linked();
  await ask(marker.request);
  await eventually(() => expect(settled(marker.request)).toHaveLength(1));
  const { ticket, po_ref: poRef, external_id: invoiceId, outcome } = request;
  const sent = service.sandbox.feedback(apiKey);
  expect(sent).toEqual([expect.objectContaining({ invoiceId, outcome, ticket, poRef })]);
  const { invoice_id, client_id, link_version } = request;
  expect(settled(request)).toEqual([
    {
      invoice_id,
      client_id,
      link_version,
      outcome,
      result: 'sent',
      refused: false,
      reason: null,
      at: expect.any(String),
    },
  ]);
});

test.each([
  ['a failure is retried until it succeeds', { kind: 'status', status: 503, times: 2 }],
  ['a lost response causes no second feedback', { kind: 'lost', times: 1 }],
] as const)('%s', async (_what, fault) => {
  const { request, apiKey } = await linked();
  service.sandbox.fail({ ...fault, on: '/feedback' });
  await ask(request);
  await eventually(() => expect(results(request)).toEqual([['sent', null]]));
  expect(service.sandbox.feedback(apiKey).filter(({ changed }) => changed)).toHaveLength(1);
});

test.each([
  ['keeps failing', 503, '503'],
  ['refuses', 422, '422'],
  ['has deleted the invoice', 404, ''],
])('a provider that %s: an event says that the feedback failed, and why', async (_fault, status, reason) => {
  const { request } = await linked();
  service.sandbox.fail({ kind: 'status', status, on: '/feedback' });
  await ask(request);
  await eventually(() => expect(results(request)).toEqual([['failed', expect.stringContaining(reason)]]));
});

test('an earlier outcome that still waits is not sent after a later one', async () => {
  const { request, apiKey } = await linked();
  const reversal: FeedbackRequested = { ...request, outcome: 'reversed' };
  service.sandbox.put(apiKey, { id: request.external_id, status: 'taken_in_charge' });
  // Both wait for a valid key; the earlier one is first in line.
  const held = { $set: { pausedUntil: new Date(Date.now() + 3_600_000) } };
  const record = { _id: request.connection_id as never };
  await service.database.collection('connections').updateOne(record, held);
  await ask(request);
  await ask(reversal);
  await eventually(async () => {
    expect(await service.jobs().countDocuments({ invoiceId: request.invoice_id })).toBe(2);
  });
  await service.database.collection('connections').updateOne(record, { $set: { pausedUntil: null } });
  await eventually(() => expect(settled(request)).toHaveLength(2));
  expect(service.sandbox.feedback(apiKey).map(({ outcome }) => outcome)).toEqual(['reversed']);
  const byOutcome = Object.fromEntries(settled(request).map(({ outcome, result }) => [outcome, result]));
  expect(byOutcome).toEqual({ taken_in_charge: 'failed', reversed: 'sent' });
});

test('an outcome waits while an older one is being sent, however long, and nothing counts as failed', async () => {
  const { request, apiKey } = await linked();
  service.sandbox.put(apiKey, { id: request.external_id, status: 'taken_in_charge' });
  const fields = { connectionId: request.connection_id, kind: 'feedback', failures: 0, requests: 1, linkVersion: 1 };
  const older = { _id: `feedback/${request.invoice_id}/1/taken_in_charge` as never, lease: 'of another process' };
  const dueAt = new Date(Date.now() + 3_600_000);
  await service.jobs().insertOne({ ...older, ...fields, invoiceId: request.invoice_id, request, dueAt });
  const reversal: FeedbackRequested = { ...request, outcome: 'reversed' };
  await ask(reversal);
  // Once more than a job may fail.
  const record = { _id: `feedback/${request.invoice_id}/1/reversed` as never };
  await eventually(async () => {
    expect((await service.jobs().findOne(record))?.['abandonedLeases']?.length).toBeGreaterThan(4);
  });
  expect(await service.jobs().findOne(record)).toMatchObject({ failures: 0 });
  const ofInvoice = service.logger.lines.filter(({ fields }) => JSON.stringify(fields)?.includes(request.invoice_id));
  expect(ofInvoice.filter(({ level }) => level !== 'debug')).toEqual([]);
  await service.jobs().updateOne({ _id: older._id }, { $unset: { lease: 1, dueAt: 1 } });
  await eventually(() => expect(results(reversal)).toEqual([['sent', null]]));
});

test('feedback of a replaced connection is sent through its successor', async () => {
  const connected = await linked();
  const { request, apiKey, owner } = connected;
  await service.remove(connected);
  await service.call('POST', '/invoice-connections', { as: owner, body: { provider: 'sandbox', apiKey } });
  await ask(request);
  await eventually(() => expect(results(request)).toEqual([['sent', null]]));
});

test('without an active connection feedback fails at once, and its event says so', async () => {
  const connected = await linked();
  const { request } = connected;
  await service.patch(connected, { active: false });
  await ask(request);
  await eventually(() =>
    expect(results(request)).toEqual([['failed', expect.stringContaining('no active connection')]]),
  );
});

test('feedback that waits fails when its connection is deleted', async () => {
  const connected = await linked();
  const { request, id } = connected;
  const held = { $set: { pausedUntil: new Date(Date.now() + 3_600_000) } };
  await service.database.collection('connections').updateOne({ _id: id as never }, held);
  await ask(request);
  await eventually(async () => expect(await service.jobs().countDocuments({ invoiceId: request.invoice_id })).toBe(1));
  await service.remove(connected);
  await eventually(() => expect(results(request)).toEqual([['failed', 'the connection was deleted']]));
});

test("another company's connection sends nothing", async () => {
  const [one, other] = [await linked(), await linked()];
  const crossed = { ...one.request, connection_id: other.id, client_id: newId() };
  await ask(crossed);
  await eventually(() => expect(results(crossed)).toEqual([['failed', expect.any(String)]]));
  expect(service.sandbox.feedback(other.apiKey)).toEqual([]);
});

test('after an invoice moves to another ticket the provider keeps the reference of the new one', async () => {
  const owner = anAccountant();
  const body = { provider: 'pennylane', apiKey: 'a key' };
  const made = await service.call('POST', '/invoice-connections', { as: owner, body });
  const [first, second] = [
    { id: newId(), number: 'T-1' },
    { id: newId(), number: 'T-2' },
  ];
  const connection = { owner, id: String(made.body['id']) } as Connected;
  const request = { ...requestFor(connection, '77'), provider: 'pennylane', ticket: first, po_ref: null };
  const referenceAfter = async (given: FeedbackRequested) => {
    await ask(given);
    await eventually(() => {
      expect(settled(given).at(-1)).toMatchObject({ link_version: given.link_version, result: 'sent' });
    });
    return pennylane.references.get('77');
  };
  expect(await referenceAfter(request)).toBe('T-1');
  const moved = { ...request, link_version: 2, ticket: second, earlier_links: [{ ticket: first, po_ref: null }] };
  expect(await referenceAfter(moved)).toBe('T-2');
  expect(await referenceAfter({ ...moved, link_version: 3, outcome: 'reversed' })).toBeNull();
});

test('feedback that is asked for again after a restore is not sent again: its result is told again', async () => {
  const { request, apiKey } = await linked();
  await ask(request);
  await eventually(() => expect(settled(request)).toHaveLength(1));
  await ask({ ...request, again: true });
  await eventually(() => expect(settled(request)).toHaveLength(2));
  expect(settled(request)[1]).toEqual(settled(request)[0]);
  expect(service.sandbox.feedback(apiKey)).toHaveLength(1);
});

test('feedback that was lost with the restored jobs is sent, though it is asked for again', async () => {
  const { request, apiKey } = await linked();
  await ask({ ...request, link_version: 3, again: true });
  await eventually(() => expect(service.sandbox.feedback(apiKey)).toHaveLength(1));
});

const restore = { restore_id: 'r', service: 'invoice-reconciliation', epoch: Date.now() };
const task = (since: Date) =>
  restoreTaskRequested(
    { ...restore, since: since.toISOString(), to: 'connection', task: 'fetch again', after: null },
    new Date(),
  );

test('what was fetched since the backup of reconciliation is fetched and published again, unchanged as it is', async () => {
  const connected = await service.connected();
  const { owner, apiKey, id } = connected;
  const { id: externalId } = service.sandbox.put(apiKey, anInvoice());
  const fetched = () => service.fetched(connected).filter(({ external_id }) => external_id === externalId);
  const due = () => service.jobs().updateOne({ externalId }, { $set: { dueAt: new Date() }, $inc: { requests: 1 } });
  await service.jobs().insertOne({
    _id: `fetch/${id}/${externalId}` as never,
    connectionId: id,
    kind: 'fetch',
    externalId,
    failures: 0,
    requests: 1,
    published: null,
    dueAt: new Date(),
  });
  await eventually(() => expect(fetched()).toHaveLength(1));
  // Asked again, it has nothing new to say.
  await due();
  await eventually(async () =>
    expect(await service.jobs().findOne({ externalId, dueAt: { $exists: false } })).not.toBeNull(),
  );
  expect(fetched()).toHaveLength(1);

  await service.publish(task(new Date(Date.now() + 3_600_000)));
  await service.publish(task(new Date(Date.now() - 3_600_000)));
  await eventually(() => expect(fetched()).toHaveLength(2));
  const [first, second] = fetched();
  expect(second).toMatchObject({ client_id: owner.companyId, raw: { hash: first?.raw.hash }, resync: false });
  expect(second?.sequence).toBeGreaterThan(first?.sequence as number);
});
