import { type AuditRecord, auditRecorded, type ExportPageRequested, exportPageRead } from '@app/contracts';
import { newId } from '@app/kernel';
import { on, toCloudEvents } from '@app/messaging';
import { eachOnce, eventually, unzip } from '@app/testing';
import { aUser, type Client, newTicket, outcome, pdf, usePlatform } from '../platform.ts';
import { type Answered, otherServices } from './other-services.ts';

const platform = usePlatform({
  exportTimes: { retryDelaysMs: [60_000, 60_000, 60_000], pollMs: 30 },
  now: () => new Date(Date.now() + clockMs++),
});
/** How the other services answer; null: not at all. */
let others: (request: ExportPageRequested) => Answered | null;
let asked: ExportPageRequested[] = [];
let audit: AuditRecord[] = [];
/** How far the clock of the service is ahead: by one ms more with each reading, so that two readings of one moment are seen. */
let clockMs = 0;

beforeAll(async () => {
  const answer = otherServices(platform.broker, (request) => {
    asked.push(request);
    return others(request);
  });
  const recorded = eachOnce(async ({ data }: { id: string; data: AuditRecord }) => void audit.push(data));
  await platform.broker.subscribe({ queue: 'others', table: [answer, on(auditRecorded, recorded as never)] });
});
beforeEach(() => {
  others = () => ({});
  asked = [];
  audit = [];
});

const read = async (id: string) => (await platform.administer('get', `/admin/exports/${id}`)).data;
const reached = (id: string, state: string) => eventually(async () => expect((await read(id)).state).toBe(state));

async function begin({ caller }: Client) {
  const { status, data } = await platform.administer('post', `/admin/companies/${caller.companyId}/exports`);
  expect(status).toBe(202);
  return data;
}

async function download(id: string): Promise<Map<string, Buffer>> {
  const { status, data, headers } = await platform.administer('get', `/admin/exports/${id}/file`, {
    responseType: 'arraybuffer',
  });
  expect([status, headers['content-type']]).toEqual([200, 'application/zip']);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="export-[0-9a-f]{24}-[\d-]{10}\.zip"$/);
  return unzip(data);
}

const linesOf = (files: Map<string, Buffer>, kind: string) =>
  String(files.get(`${kind}.jsonl`))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('an export has all that the company has, in pages of any number, and the files that are named, once', async () => {
  const client = platform.as();
  const ticket = await newTicket(client, { title: 'Leak in the roof' });
  await client.post(`${ticket}/notes`, { note: 'Second floor', type: 'internal' });
  const { document } = (await client.upload(`${ticket}/documents`, {}, pdf)).data;
  await client.post('/api/v3.0/locations', { name: 'Hall' });
  const stranger = platform.as();
  await newTicket(stranger, { title: 'Not yours' });
  others = ({ kind, after }) => {
    if (kind === 'users') return { count: 1, lines: `{"n":"${after}"}\n`, next: after === null ? 'a' : null };
    const file = { key: document.s3_key, path: 'files/0123456789abcdef/again.pdf' };
    const lost = { key: 'x'.repeat(43), path: 'files/fedcba9876543210/lost.pdf' };
    return kind === 'purchases' ? { count: 1, lines: '{"purchase":1}\n', files: [file, file, lost] } : {};
  };
  const { id, state, company, error } = await begin(client);
  expect({ state, company, error }).toEqual({
    state: 'collecting',
    company: { id: client.caller.companyId, name: client.caller.companyName },
    error: null,
  });
  await reached(id, 'done');

  const { progress, size, expires_at, finished_at } = await read(id);
  expect(progress.kinds.every(({ done }: { done: boolean }) => done)).toBe(true);
  expect(size).toBeGreaterThan(500);
  expect(Date.parse(expires_at) - Date.parse(finished_at)).toBe(7 * 24 * 3600_000);
  const files = await download(id);
  const manifest = JSON.parse(String(files.get('manifest.json')));
  const counts = Object.fromEntries(manifest.kinds.map(({ kind, count }: never) => [kind, count]));
  expect(counts).toMatchObject({
    users: 2,
    tickets: 1,
    notes: 1,
    documents: 1,
    referentials: 1,
    purchases: 1,
    invoices: 0,
  });
  for (const [kind, count] of Object.entries(counts))
    expect([kind, linesOf(files, kind).length]).toEqual([kind, count]);
  expect(linesOf(files, 'users')).toEqual([{ n: 'null' }, { n: 'a' }]);
  expect(linesOf(files, 'tickets')[0]).toMatchObject({ title: 'Leak in the roof', history: [{ operation: 'create' }] });
  const [exported] = linesOf(files, 'documents');
  expect(files.get(exported.file)).toEqual(pdf.content);
  // The file of the purchase has the same key under another path; the third one is not stored.
  expect(manifest).toMatchObject({
    format: 'company-export',
    version: 1,
    missing_files: ['files/fedcba9876543210/lost.pdf'],
  });
  expect(String([...files.values()])).not.toContain('Not yours');
  expect(String([...files.values()])).not.toContain(stranger.caller.companyId);

  await eventually(() =>
    expect(audit.map(({ action }) => action).sort()).toEqual(['export.downloaded', 'export.requested']),
  );
  expect(audit[0]).toMatchObject({
    company_id: client.caller.companyId,
    actor: { kind: 'platform' },
    target: { kind: 'export', id },
  });
  // The collected pages are removed once they are in the archive.
  await eventually(async () => expect(await collected()).toEqual([0, 0]));
});

const collected = () =>
  Promise.all(['export_pages', 'export_files'].map((name) => platform.connection.collection(name).countDocuments()));

test('a contractor takes along what it sees of the tickets of its clients', async () => {
  const client = platform.as();
  const [own, rival] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  const ticket = await newTicket(client);
  await client.post(`${ticket}/propose`, { contractor_ids: [own.id, rival.id] });
  await rival.upload(`${ticket}/quotes`, { reference: 'RIVAL', price: '1' }, pdf);
  await own.upload(`${ticket}/quotes`, { reference: 'OWN', price: '2' }, { name: 'own.pdf', content: pdf.content });
  await client.post(`${ticket}/notes`, { note: 'for us alone', type: 'internal' });
  await rival.post(`${ticket}/notes`, { note: 'from a rival', type: 'public' });
  const colleague = aUser(client.caller.companyId);
  platform.identity.users.set(colleague.id, colleague);
  await client.post(`${ticket}/notes`, { note: `for all, @[x](user:${colleague.id})`, type: 'public' });

  const { id } = await begin(own);
  await reached(id, 'done');
  const files = await download(id);
  expect(linesOf(files, 'tickets')[0].quotes).toMatchObject([{ reference: 'OWN' }]);
  expect(linesOf(files, 'notes')).toMatchObject([{ note: 'for all, @Ada Martin' }]);
  const all = String([...files.keys(), ...files.values()]);
  for (const hidden of ['RIVAL', 'from a rival', 'for us alone', rival.caller.companyId])
    expect(all).not.toContain(hidden);
  expect([...files.keys()].filter((path) => path.startsWith('files/'))).toEqual([expect.stringMatching(/own\.pdf$/)]);
});

test('two who ask at once get one export; once it has ended, there is another', async () => {
  const client = platform.as();
  others = () => null;
  const begun = await Promise.all(Array.from({ length: 5 }, () => begin(client)));
  expect(new Set(begun.map(({ id }) => id)).size).toBe(1);
  await eventually(() => expect(asked).toHaveLength(1));
  others = () => ({});
  clockMs += 61_000;
  await reached(begun[0].id, 'done');
  const next = await begin(client);
  expect(next.id).not.toBe(begun[0].id);
  await reached(next.id, 'done');
  const list = await platform.administer('get', `/admin/exports?company_id=${client.caller.companyId}&limit=1`);
  expect([list.data.items.map((one: { id: string }) => one.id), list.data.nextCursor]).toEqual([[next.id], next.id]);
  const rest = await platform.administer(
    'get',
    `/admin/exports?company_id=${client.caller.companyId}&cursor=${next.id}`,
  );
  expect(rest.data.items.map((one: { id: string }) => one.id)).toEqual([begun[0].id]);
});

test('a page that comes twice, or late, counts once', async () => {
  const client = platform.as();
  others = ({ kind }) => ({ count: 1, lines: `{"kind":"${kind}"}\n` });
  const twice: ExportPageRequested[] = [];
  const again = others;
  others = (request) => {
    twice.push(request);
    return again(request);
  };
  const { id } = await begin(client);
  await reached(id, 'done');
  const { company: _, ...first } = twice[0] as ExportPageRequested;
  const late = { ...first, count: 1, lines: '{"late":1}\n', files: [], next: null };
  await platform.broker.publish(toCloudEvents('identity', [exportPageRead(late, new Date())]));
  const next = await begin(client);
  const page = { ...late, export_id: next.id, after: 'nothing that was asked for' };
  await platform.broker.publish(toCloudEvents('identity', [exportPageRead(page, new Date())]));
  await reached(next.id, 'done');
  for (const done of [id, next.id]) expect(String([...(await download(done)).values()])).not.toContain('late');
});

test('a service that is away is asked again, and named once it has not answered for too long', async () => {
  const client = platform.as();
  const times = () => asked.filter(({ kind }) => kind === 'purchases').length;
  /** Waits until the page was requested this often, and then lets the time for an answer pass. */
  const waitInVain = async (count: number) => {
    await eventually(() => expect(times()).toBe(count));
    clockMs += 61_000;
  };
  others = ({ kind }) => (kind === 'purchases' && times() < 3 ? null : {});
  const helped = await begin(client);
  await waitInVain(1);
  await waitInVain(2);
  await reached(helped.id, 'done');
  expect(times()).toBe(3);

  asked = [];
  others = ({ kind }) => (kind === 'purchases' ? null : {});
  const { id } = await begin(client);
  for (const count of [1, 2, 3]) await waitInVain(count);
  await reached(id, 'failed');
  const { error, progress } = await read(id);
  expect(error).toEqual({ service: 'purchase', kind: 'purchases', message: 'purchase did not answer' });
  expect(
    progress.kinds.filter(({ done }: { done: boolean }) => !done).map(({ kind }: { kind: string }) => kind)[0],
  ).toBe('purchases');
  expect(outcome(await platform.administer('get', `/admin/exports/${id}/file`))).toEqual([409, 'export_not_done']);
  await eventually(async () => expect(await collected()).toEqual([0, 0]));
});

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of platform.storage.list({ olderThan: new Date(Date.now() + 1000) })) keys.push(key);
  return keys.sort();
}

test('an archive that was cut off is written again, leaves nothing of the first attempt, and is deleted after a week', async () => {
  const client = platform.as();
  const before = await stored();
  const { put } = platform.storage;
  // The archive is stored, and then the process that stored it dies.
  platform.storage.put = async (...given) => {
    platform.storage.put = put;
    await put(...given);
    throw new Error('cut off');
  };
  const { id } = await begin(client);
  await reached(id, 'done');
  expect((await stored()).length).toBe(before.length + 1);
  expect((await download(id)).has('manifest.json')).toBe(true);
  clockMs += 7 * 24 * 3600_000 + 1_000;
  await reached(id, 'expired');
  expect((await stored()).filter((key) => !before.includes(key))).toEqual([]);
  expect((await platform.administer('get', `/admin/exports/${id}/file`)).status).toBe(409);
});

test('exports are for the platform alone, and of companies that there are', async () => {
  const client = platform.as();
  const { id } = await begin(client);
  const calls = [
    ['post', `/admin/companies/${client.caller.companyId}/exports`],
    ['get', '/admin/exports'],
    ['get', `/admin/exports/${id}`],
    ['get', `/admin/exports/${id}/file`],
  ] as const;
  for (const [method, path] of calls) expect([path, (await client.call(method, path)).status]).toEqual([path, 403]);
  const ask = async (method: string, path: string) => outcome(await platform.administer(method, path));
  expect(await ask('post', `/admin/companies/${newId()}/exports`)).toEqual([404, 'company_not_found']);
  expect(await ask('get', `/admin/exports/${newId()}`)).toEqual([404, 'export_not_found']);
  await reached(id, 'done');
});

test.each([
  ['exports', { dueAt: { $lte: new Date() } }, { dueAt: 1 }],
  ['export_pages', { _id: { $gt: 'a.', $lt: 'a/' } }, { _id: 1 }],
])('%s are found by an index', async (collection, filter, sort) => {
  const found = platform.connection
    .collection(collection)
    .find(filter as never)
    .sort(sort as never);
  const plan = JSON.stringify(await found.explain());
  expect(plan).toContain('IXSCAN');
  expect(plan).not.toMatch(/COLLSCAN|"SORT"/);
});
