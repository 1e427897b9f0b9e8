import { renameSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { invoiceGone } from '@app/contracts';
import { eventually } from '@app/testing';
import { anAccountant, anInvoice, aPdf, type Connected, type Service, startService } from '../service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterEach(() => service.sandbox.heal());
afterAll(() => service.stop());

const fetched = (one: Connected) => service.fetched(one);
const recordOf = (one: Connected) => service.recordOf(one);
const jobOf = ({ id }: Connected, externalId: string) => service.jobs().findOne({ connectionId: id, externalId });
const callsOf = (path: string) => service.callsOf(path);
/** Calls for these invoices alone, without those of polls, which go on meanwhile. */
const fetchesOf = (ids: string[]) => ids.reduce((sum, id) => sum + callsOf(`/invoices/${id}`), 0);
const viewOf = (one: Connected) => service.viewOf(one);
const healthOf = async (one: Connected) => (await viewOf(one))['health'];

/** A connection, and an invoice that its first poll has not seen. */
async function connected() {
  const made = await service.connected();
  const { id } = service.sandbox.put(made.apiKey, anInvoice());
  return { ...made, invoiceId: id };
}

test('after two faults of any kind an invoice is fetched all the same', async () => {
  const faults = [
    { kind: 'status', status: 500 },
    { kind: 'cut' },
    { kind: 'half' },
    { kind: 'garbage' },
    { kind: 'status', status: 429, retryAfter: '0.1' },
  ] as const;
  const all = await Promise.all(faults.map(async (fault) => ({ ...(await connected()), fault })));
  for (const { fault, invoiceId } of all) service.sandbox.fail({ ...fault, times: 2, on: invoiceId });
  for (const one of all) await service.notify(one, one.invoiceId);
  for (const one of all) {
    await eventually(() => expect([one.fault, fetched(one).length]).toEqual([one.fault, 1]));
    expect([one.fault, callsOf(`/invoices/${one.invoiceId}`)]).toEqual([one.fault, 3]);
    expect(await healthOf(one)).toEqual({ status: 'ok', reason: null, since: null });
  }
});

type Page = {
  items: { id: string; externalId: string; reason: string; retrying: boolean }[];
  nextCursor: string | null;
};

async function failuresOf({ id, owner }: Connected, query = ''): Promise<Page> {
  const answer = await service.call('GET', `/invoice-connections/${id}/failures${query}`, { as: owner });
  expect(answer.status).toBe(200);
  return answer.body as unknown as Page;
}

test('an invoice that keeps failing is given up after its retries, and requested again once its connection works', async () => {
  const one = await connected();
  service.sandbox.fail({ kind: 'status', status: 503, on: one.invoiceId });
  await service.notify(one, one.invoiceId);
  await eventually(async () => {
    const health = { status: 'unhealthy', reason: 'fetches_failing', since: expect.any(String) };
    expect(await viewOf(one)).toMatchObject({ health, failedInvoices: 1 });
  });
  // The first attempt and the three retries of the setting.
  expect(callsOf(`/invoices/${one.invoiceId}`)).toBe(4);
  const reason = expect.stringContaining('503');
  expect((await failuresOf(one)).items).toMatchObject([{ externalId: one.invoiceId, reason, retrying: false }]);
  service.sandbox.heal();
  // A fetch of another invoice succeeds; nothing requests this one.
  const { id: other } = service.sandbox.put(one.apiKey, anInvoice());
  await service.notify(one, other);
  const both = [one.invoiceId, other].sort();
  await eventually(() =>
    expect(
      fetched(one)
        .map((event) => event.external_id)
        .sort(),
    ).toEqual(both),
  );
  await eventually(async () => expect(await failuresOf(one)).toEqual({ items: [], nextCursor: null }));
  await eventually(async () => expect(await healthOf(one)).toMatchObject({ status: 'ok', reason: null }));
});

test.each([
  ['whose document the provider does not have', '/document'],
  ['that the provider announced and does not have', ''],
])('an invoice %s is a failure that is tried again, and not gone', async (_what, path) => {
  const made = await service.connected();
  const { id } = service.sandbox.put(made.apiKey, anInvoice(), aPdf);
  service.sandbox.fail({ kind: 'status', status: 404, on: `/invoices/${id}${path}$` });
  await service.notify(made, id);
  await eventually(async () => expect(await viewOf(made)).toMatchObject({ failedInvoices: 1 }));
  expect((await failuresOf(made)).items).toMatchObject([{ externalId: id }]);
  service.sandbox.heal();
  await service.pollAgain(made);
  await eventually(() =>
    expect(fetched(made)).toMatchObject([{ external_id: id, document: { size: aPdf.bytes.length } }]),
  );
  await eventually(async () => expect(await viewOf(made)).toMatchObject({ failedInvoices: 0 }));
  expect(service.events(invoiceGone).filter(({ external_id }) => external_id === id)).toEqual([]);
});

test('an invoice that was deleted before it was fetched is no failure once a poll says so', async () => {
  const made = await connected();
  service.sandbox.remove(made.apiKey, made.invoiceId);
  await service.notify(made, made.invoiceId);
  await eventually(async () => expect(await viewOf(made)).toMatchObject({ failedInvoices: 1 }));
  await service.pollAgain(made);
  await eventually(async () => expect(await viewOf(made)).toMatchObject({ failedInvoices: 0 }));
  const gone = expect.objectContaining({ external_id: made.invoiceId });
  await eventually(() => expect(service.events(invoiceGone)).toContainEqual(gone));
});

test('a successful poll requests again what was given up, except what the provider refused', async () => {
  const one = await connected();
  const { id: refused } = service.sandbox.put(one.apiKey, anInvoice());
  service.sandbox.fail({ kind: 'status', status: 503, on: one.invoiceId });
  service.sandbox.fail({ kind: 'status', status: 422, on: refused });
  await service.notify(one, one.invoiceId, refused);
  await eventually(async () => expect((await viewOf(one))['failedInvoices']).toBe(2));
  // As if nothing had changed since: the poll lists none of them.
  await service.database
    .collection('connections')
    .updateOne(
      { _id: one.id as never },
      { $set: { seenUntil: new Date(Date.now() + 3_600_000), createdAt: new Date() } },
    );
  service.sandbox.heal();
  await service.pollAgain(one);
  await eventually(() => expect(fetched(one).map(({ external_id }) => external_id)).toContain(one.invoiceId));
  expect(await jobOf(one, one.invoiceId)).toMatchObject({ requests: 2 });
});

test('what could not be fetched is listed for its company, page by page, and can be retried by hand', async () => {
  const one = await connected();
  const ids = [one.invoiceId, ...Array.from({ length: 4 }, () => service.sandbox.put(one.apiKey, anInvoice()).id)];
  service.sandbox.fail({ kind: 'status', status: 422, on: '/invoices/' });
  await service.notify(one, ...ids);
  await eventually(async () => expect((await viewOf(one))['failedInvoices']).toBe(5));
  const listed: Page['items'] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await failuresOf(one, `?limit=2${cursor && `&cursor=${cursor}`}`);
    listed.push(...page.items);
    cursor = page.nextCursor;
  }
  expect(listed.map(({ externalId }) => externalId).sort()).toEqual([...ids].sort());
  expect(listed[0]).toEqual({
    id: expect.any(String),
    externalId: expect.any(String),
    reason: expect.stringContaining('422'),
    failedAt: expect.any(String),
    retrying: false,
  });
  service.sandbox.heal();
  const path = `/invoice-connections/${one.id}/failures`;
  const retry = (id: string | undefined, as = one.owner) => service.call('POST', `${path}/${id}/retry`, { as });
  expect(await retry(listed[0]?.id)).toMatchObject({ status: 202, body: { ok: true } });
  await eventually(() => expect(fetched(one)).toMatchObject([{ external_id: listed[0]?.externalId }]));
  await eventually(async () => expect((await failuresOf(one)).items).toHaveLength(4));

  const stranger = anAccountant();
  const answers = [
    await service.call('GET', path, { as: stranger }),
    await retry(listed[1]?.id, stranger),
    await retry(listed[0]?.id),
    await retry('not.an.id'),
    await service.call('GET', `${path}?cursor=nonsense`, { as: one.owner }),
    await service.call('GET', path, { as: { ...one.owner, permissions: [] } }),
  ];
  expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
    [404, 'connection_not_found'],
    [404, 'connection_not_found'],
    [404, 'failure_not_found'],
    [404, 'not_found'],
    [422, 'invalid_cursor'],
    [403, expect.any(String)],
  ]);
});

test('what the provider refuses for good is not retried, and is shown on the connection until it is fetched', async () => {
  const one = await connected();
  service.sandbox.fail({ kind: 'status', status: 422, on: one.invoiceId });
  await service.notify(one, one.invoiceId);
  await eventually(async () => {
    const job = await jobOf(one, one.invoiceId);
    expect([job?.['dueAt'], job?.['reason']]).toEqual([undefined, expect.stringContaining('422')]);
  });
  expect(callsOf(`/invoices/${one.invoiceId}`)).toBe(1);
  const seen = (health: object, failedInvoices: number) =>
    eventually(async () => expect(await viewOf(one)).toMatchObject({ health, failedInvoices }));
  await seen({ status: 'unhealthy', reason: 'fetches_failing' }, 1);
  const { id: other } = service.sandbox.put(one.apiKey, anInvoice());
  await service.notify(one, other);
  // The success of the other one proves that the provider answers, not that this one was fetched.
  await seen({ status: 'ok', reason: null }, 1);
  service.sandbox.heal();
  await service.notify(one, one.invoiceId);
  await seen({ status: 'ok' }, 0);
  await eventually(() => expect(fetched(one)).toHaveLength(2));
});

test('an outage of the storage is waited out: no invoice is given up for it', async () => {
  const one = await connected();
  const elsewhere = `${service.folder}-elsewhere`;
  await rename(service.folder, elsewhere);
  // No folder can be created there, as on a disk that is not mounted or is full.
  await writeFile(service.folder, '');
  await service.notify(one, one.invoiceId);
  // More often than a fault of the provider would allow.
  const tries = () => service.logger.lines.filter((line) => JSON.stringify(line).includes(one.invoiceId));
  await eventually(() => expect(tries().length).toBeGreaterThan(4));
  expect(await viewOf(one)).toMatchObject({ health: { status: 'ok' }, failedInvoices: 0 });
  // At once, or the next try makes the folder in between.
  rmSync(service.folder);
  renameSync(elsewhere, service.folder);
  await eventually(() => expect(fetched(one)).toHaveLength(1));
  expect(await jobOf(one, one.invoiceId)).toMatchObject({ failures: 0 });
});

test('a pause that the provider asks for pauses all invoices of the connection, and is not counted as a failure', async () => {
  const one = await connected();
  const ids = Array.from({ length: 20 }, () => service.sandbox.put(one.apiKey, anInvoice()).id);
  service.sandbox.fail({ kind: 'status', status: 429, retryAfter: '3600', on: '/invoices/' });
  await service.notify(one, ...ids);
  await eventually(async () => expect((await recordOf(one))?.['pausedUntil']).toBeInstanceOf(Date));
  await eventually(async () => {
    expect(await service.jobs().countDocuments({ connectionId: one.id, lease: { $exists: true } })).toBe(0);
  });
  // No more than were in progress at the first response.
  const spent = fetchesOf(ids);
  expect(spent).toBeLessThanOrEqual(8);
  const until = (await recordOf(one))?.['pausedUntil'] as Date;
  expect(until.getTime() - Date.now()).toBeGreaterThan(3_000_000);
  service.sandbox.heal();
  // Other connections are not paused.
  const other = await connected();
  await service.notify(other, other.invoiceId);
  await eventually(() => expect(fetched(other)).toHaveLength(1));
  expect(fetchesOf(ids)).toBe(spent);
  await service.database
    .collection('connections')
    .updateOne({ _id: one.id as never }, { $set: { pausedUntil: new Date() } });
  await eventually(() => expect(fetched(one)).toHaveLength(20));
  const failures = await service.jobs().distinct('failures', { connectionId: one.id });
  expect(failures).toEqual([0]);
});

test.each(['0', 'Thu, 01 Jan 2026 00:00:00 GMT'])(
  'a pause until %s pauses the connection all the same',
  async (retryAfter) => {
    const one = await connected();
    service.sandbox.fail({ kind: 'status', status: 429, retryAfter, on: one.invoiceId });
    await service.notify(one, one.invoiceId);
    await eventually(async () => expect((await recordOf(one))?.['pausedUntil']).toBeInstanceOf(Date));
    service.sandbox.heal();
    await eventually(() => expect(fetched(one)).toHaveLength(1));
  },
);

test.each([401, 403])('a key that is refused (%i) is not retried until there is another one', async (status) => {
  const one = await connected();
  const ids = Array.from({ length: 20 }, () => service.sandbox.put(one.apiKey, anInvoice()).id);
  service.sandbox.fail({ kind: 'status', status });
  await service.notify(one, ...ids);
  await eventually(async () => {
    expect(await healthOf(one)).toEqual({
      status: 'unhealthy',
      reason: 'credentials_refused',
      since: expect.any(String),
    });
  });
  await eventually(async () => {
    expect(await service.jobs().countDocuments({ connectionId: one.id, lease: { $exists: true } })).toBe(0);
  });
  const spent = fetchesOf(ids);
  expect(spent).toBeLessThanOrEqual(8);
  // Webhooks are still accepted; their jobs wait.
  await service.notify(one, one.invoiceId);
  service.sandbox.heal();
  const other = await connected();
  await service.notify(other, other.invoiceId);
  await eventually(() => expect(fetched(other)).toHaveLength(1));
  expect(fetched(one)).toHaveLength(0);
  expect(fetchesOf(ids)).toBe(spent);

  const answer = await service.patch(one, { apiKey: one.apiKey });
  expect(answer.body['health']).toEqual({ status: 'ok', reason: null, since: null });
  await eventually(() => expect(fetched(one)).toHaveLength(21));
});

test('a provider that hangs delays no other connection', async () => {
  const [hanging, healthy] = [await connected(), await connected()];
  const ids = Array.from(
    { length: 20 },
    () => service.sandbox.put(hanging.apiKey, anInvoice({ id: `hang-${Math.random()}` })).id,
  );
  service.sandbox.fail({ kind: 'hang', on: '/invoices/hang-' });
  await service.notify(hanging, ...ids);
  await eventually(() => expect(ids.some((id) => callsOf(`/invoices/${id}`) > 0)).toBe(true));
  await service.notify(healthy, healthy.invoiceId);
  await eventually(() => expect(fetched(healthy)).toHaveLength(1));
  expect(fetched(hanging)).toHaveLength(0);
});
