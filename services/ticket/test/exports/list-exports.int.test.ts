import type { ExportPageRequested, UserSnapshot } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, rowsOfCsv, rowsOfXlsx } from '@app/testing';
import { type Client, newTicket, outcome, usePlatform } from '../platform.ts';
import { type Answered, otherServices } from './other-services.ts';

const platform = usePlatform({ exportTimes: { retryDelaysMs: Array(5_000).fill(50), pollMs: 30 } });
let others: (request: ExportPageRequested) => Answered | null;
let asked: ExportPageRequested[] = [];

beforeAll(async () => {
  const answer = otherServices(platform.broker, (request) => {
    asked.push(request);
    return others(request);
  });
  await platform.broker.subscribe({ queue: 'others', table: [answer] });
});
beforeEach(() => {
  others = () => ({});
  asked = [];
});

const allTickets = '/api/v3.0/tickets/export?format=csv&language=fr&sort=priority&order=desc';
const allInvoices = '/invoices/export?format=xlsx&language=en&state=done';

/** A user whom identity knows. */
function known(given: Parameters<typeof platform.as>[0] = {}): Client {
  const client = platform.as(given);
  const { userId: id, companyId: company_id, firstName: first_name, lastName: last_name, ...caller } = client.caller;
  const { email, permissions, placeIds: place_ids } = caller;
  const user: UserSnapshot = {
    id,
    company_id,
    first_name,
    last_name,
    email,
    permissions,
    phone: null,
    active: true,
    version: 1,
  };
  platform.identity.users.set(id, { ...user, ...(place_ids && { place_ids }) });
  return client;
}

const change = ({ caller: { userId } }: Client, user: Partial<UserSnapshot>) =>
  platform.connection.collection<{ _id: string }>('user_projections').updateOne({ _id: userId }, { $set: user });
const begin = (client: Client, download: string) => client.post('/exports', { download });
const reached = (client: Client, id: string, state: string) =>
  eventually(async () => {
    const { data } = await client.get(`/exports/${id}`);
    expect(data).toMatchObject({ state });
    return data;
  });

async function made(client: Client, download: string) {
  const { status, data } = await begin(client, download);
  expect([status, data]).toEqual([202, expect.anything()]);
  await reached(client, data.id, 'done');
  const { headers, data: content } = await client.download(`/exports/${data.id}/file`);
  return { id: data.id as string, headers, content };
}

/** The pages of a list as its service answers them. */
const line = (...cells: unknown[]) => `${JSON.stringify(cells)}\n`;
const head = `${JSON.stringify({
  format: 'xlsx',
  language: 'en',
  columns: [
    { title: 'Number', type: 'text' },
    { title: 'Total', type: 'money' },
    { title: 'Due', type: 'date' },
  ],
})}\n`;

test('the file of tickets is that of their download, with what its user sees alone', async () => {
  const owner = known();
  const { data } = await owner.post('/api/v3.0/locations', { name: 'Site' });
  const site = data.location._id;
  const { _id: room } = (await owner.post('/api/v3.0/locations', { name: 'Room', parent_id: site })).data.location;
  await newTicket(owner, { title: '=1+1\u2028"x"', location_ids: [room], priority: 'high' });
  await newTicket(owner, { title: 'Elsewhere' });
  await newTicket(known(), { title: 'Not yours' });
  const { id, headers, content } = await made(owner, allTickets);
  expect(content.equals((await owner.download(allTickets)).data)).toBe(true);
  expect(rowsOfCsv(content, ';')).toHaveLength(3);
  expect([headers['content-type'], headers['content-disposition']]).toEqual([
    'text/csv; charset=utf-8',
    expect.stringMatching(/filename="tickets-[\d-]{10}\.csv"/),
  ]);
  expect((await owner.get(`/exports/${id}`)).data.progress.kinds).toEqual([{ kind: 'list', count: 2, done: true }]);
  const { companyId } = owner.caller;
  const limited = known({ companyId, userId: newId(), permissions: ['tickets'], placeIds: [site] });
  const rows = rowsOfCsv((await made(limited, allTickets)).content, ';');
  expect(rows.map(([, title]) => title)).toEqual([expect.anything(), expect.stringContaining('=1+1')]);
  for (const query of ['limit=200', `company_id=${companyId}`]) {
    const { data: listed } = await platform.administer('get', `/admin/exports?${query}`);
    expect(JSON.stringify(listed.items)).not.toContain(companyId);
  }
  expect(outcome(await platform.administer('get', `/admin/exports/${id}`))).toEqual([404, 'export_not_found']);
});

test.each(['locations', 'equipments', 'jobs', 'domains', 'custom-fields'])(
  'the file of %s is that of their download',
  async (path) => {
    const client = known();
    const name = path === 'custom-fields' ? { fr: 'Étage', en: 'Floor' } : '=1+1';
    await client.post(`/api/v3.0/${path}`, { name });
    const download = `/api/v3.0/${path}/export?format=csv&language=fr&q=${path === 'custom-fields' ? 'eta' : '1'}`;
    const { content } = await made(client, download);
    expect(content.equals((await client.download(download)).data)).toBe(true);
    expect(rowsOfCsv(content, ';')).toHaveLength(2);
  },
);

test('the list of another service is read page by page, as who asked for it', async () => {
  const client = known();
  others = ({ after }) =>
    after === null
      ? { count: 2, lines: head + line('A', 1234.5, '2026-11-02T00:00:00.000Z'), next: 'a' }
      : { count: 1, lines: line('B', null, null) };
  const { content, headers } = await made(client, allInvoices);
  expect(headers['content-disposition']).toMatch(/invoices-[\d-]{10}\.xlsx/);
  expect(await rowsOfXlsx(content)).toEqual([
    ['Number', 'Total', 'Due'],
    ['A', 1234.5, new Date('2026-11-02')],
    ['B', null, null],
  ]);
  // A slow page is asked for again.
  expect(new Set(asked.map(({ after }) => after))).toEqual(new Set([null, 'a']));
  expect(asked[0]).toMatchObject({ service: 'invoice-reconciliation', kind: 'list', list: { address: allInvoices } });
  expect(asked[0]?.list?.caller).toEqual(client.caller);
});

test.each<[string, Answered, RegExp]>([
  ['is refused by its service', { refused: 'state must be one of them' }, /^state must be one of them$/],
  ['is longer than a sheet', { count: 1_000_002, lines: head }, /at most 1000000 rows/],
])('a list that %s is no file, and says why', async (_what, answer, message) => {
  const client = known();
  others = () => answer;
  const { id } = (await begin(client, allInvoices)).data;
  expect(await reached(client, id, 'failed')).toMatchObject({ error: { message: expect.stringMatching(message) } });
  expect(outcome(await client.get(`/exports/${id}/file`))).toEqual([409, 'export_not_done']);
  // The next one may begin at once.
  others = () => ({ count: 1, lines: head });
  expect((await begin(client, allInvoices)).data.id).not.toBe(id);
});

test('a user whose rights change gets neither the rest of a list nor a file that was made before', async () => {
  const client = known();
  others = () => ({ count: 1, lines: head });
  const { id: before } = await made(client, allInvoices);
  others = () => null;
  const { id } = (await begin(client, allInvoices)).data;
  await eventually(() => expect(asked.length).toBeGreaterThan(1));
  await change(client, { permissions: ['tickets'] });
  expect(await reached(client, id, 'failed')).toMatchObject({ error: { message: expect.stringMatching(/rights/) } });
  expect(outcome(await client.get(`/exports/${before}/file`))).toEqual([409, 'export_not_done']);
  for (const [place_ids, active] of [
    [[newId()], true],
    [undefined, false],
  ] as const) {
    const other = known();
    const made_ = await made(other, allTickets);
    await change(other, { active, ...(place_ids && { place_ids: [...place_ids] }) });
    expect(outcome(await other.get(`/exports/${made_.id}/file`))).toEqual([409, 'export_not_done']);
  }
});

test('a filter of invoices by place is asked for with the places below it', async () => {
  const client = known();
  const site = (await client.post('/api/v3.0/locations', { name: 'Site' })).data.location._id;
  const { _id: room } = (await client.post('/api/v3.0/locations', { name: 'Room', parent_id: site })).data.location;
  others = () => ({ count: 1, lines: head });
  for (const [reader, places] of [
    [client, [site, room].sort()],
    [known(), []],
  ] as const) {
    asked = [];
    const { id } = await made(reader, `/invoices/export?place=${site}`);
    const own = asked.find(({ export_id }) => export_id === id);
    expect(own?.list?.places?.toSorted()).toEqual(places);
  }
});

test('users list the files that they had made, with what became of them, and nobody else’s', async () => {
  const client = known();
  const colleague = known({ companyId: client.caller.companyId });
  others = () => ({ refused: 'state must be one of them' });
  const { id: failed } = (await begin(client, allInvoices)).data;
  await reached(client, failed, 'failed');
  others = () => ({ count: 1, lines: head });
  const { id } = (await begin(client, allInvoices)).data;
  await reached(client, id, 'done');
  const { data } = await client.get('/exports');
  expect(data).toMatchObject({
    items: [
      { id, state: 'done', file_name: expect.stringMatching(/^invoices-[\d-]{10}\.xlsx$/) },
      { id: failed, state: 'failed', error: { message: 'state must be one of them' } },
    ],
    nextCursor: null,
  });
  const [first] = (await client.get('/exports?limit=1')).data.items;
  const { nextCursor } = (await client.get('/exports?limit=1')).data;
  expect([first.id, (await client.get(`/exports?cursor=${nextCursor}`)).data.items]).toEqual([id, [data.items[1]]]);
  expect((await colleague.get('/exports')).data.items).toEqual([]);
});

test('a company begins a hundred in 24 hours, whatever becomes of them', async () => {
  const { companyId } = known().caller;
  const [client, colleague, neighbour] = [known({ companyId }), known({ companyId }), known()];
  others = () => ({ count: 1, lines: head });
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3600_000);
  const begun = (count: number, of: object) =>
    platform.connection.collection('exports').insertMany(
      Array.from({ length: count }, () => {
        const failed = { _id: newId() as never, owner: colleague.caller.userId, state: 'failed' };
        return { ...failed, company: { id: companyId }, requested_at: hoursAgo(1), ...of };
      }),
    );
  await begun(99, { list: {} });
  await begun(5, { list: {}, requested_at: hoursAgo(25) });
  await begun(5, { list: {}, company: { id: newId() } });
  await begun(5, {});
  expect((await begin(client, allInvoices)).status).toBe(202);
  expect(outcome(await begin(colleague, allInvoices))).toEqual([409, 'exports_limited']);
  expect((await begin(neighbour, allInvoices)).status).toBe(202);
});

test('a user has one at a time and ten in all, and sees no other', async () => {
  const client = known();
  const colleague = known({ companyId: client.caller.companyId });
  others = () => null;
  const { id } = (await begin(client, allInvoices)).data;
  expect((await begin(client, allInvoices)).data.id).toBe(id);
  expect(outcome(await begin(client, allTickets))).toEqual([409, 'export_running']);
  expect((await begin(colleague, allTickets)).status).toBe(202);
  for (const other of [colleague, known()]) {
    expect(outcome(await other.get(`/exports/${id}`))).toEqual([404, 'export_not_found']);
    expect(outcome(await other.get(`/exports/${id}/file`))).toEqual([404, 'export_not_found']);
  }
  const full = known();
  const kept = Array.from({ length: 10 }, () => ({ _id: newId() as never, owner: full.caller.userId, state: 'done' }));
  await platform.connection.collection('exports').insertMany(kept);
  expect(outcome(await begin(full, allTickets))).toEqual([409, 'too_many_exports']);
});

test.each([
  '/invoices?state=done',
  '/admin/exports',
  'https://elsewhere.test/invoices/export',
  '/webhooks/endpoints/x/deliveries/export',
])('%s is the download of no list', async (download) => {
  const { status, data } = await begin(known(), download);
  expect([status, data.errors?.[0]?.path]).toEqual([422, 'download']);
});
