import { newId } from '@app/kernel';
import { subscribableEvents } from '../../endpoints/endpoint.ts';
import { aCompany, type Dispatcher, type LoggedDelivery, startDispatcher } from '../dispatcher.ts';

const company = aCompany();
const tickets = [newId(), newId()];
const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const firstAt = Date.parse(`${day}T08:00:00Z`);
const isoAt = (n: number) => new Date(firstAt + 1_000 * n).toISOString();
let dispatcher: Dispatcher;
let list: string;

/** 120 deliveries, one a second; three in the same millisecond as number 60. No receiver listens. */
beforeAll(async () => {
  dispatcher = await startDispatcher();
  const own = await dispatcher.endpoint(company, 'https://127.0.0.1:1/');
  const other = await dispatcher.endpoint(company, 'https://127.0.0.1:1/');
  list = `/webhooks/endpoints/${own.id}/deliveries`;
  const statuses = ['pending', 'succeeded', 'failed', 'exhausted', 'canceled'];
  const record = (endpointId: string, n: number, at = n) => ({
    _id: (endpointId === own.id ? n.toString(16).padStart(24, '0') : newId()) as never,
    endpointId,
    event: subscribableEvents[n % 3],
    ...(n % 4 === 3 ? {} : { ticket: { id: tickets[n % 2], number: `T-${n % 2}`, title: 'Leak' } }),
    body: '{}',
    status: statuses[n % 5],
    tries: 0,
    attempts: [],
    createdAt: new Date(firstAt + 1_000 * at),
    nextAttemptAt: null,
  });
  const records = Array.from({ length: 120 }, (_, n) => record(own.id, n, n >= 60 && n < 64 ? 60 : n));
  await dispatcher.connection.collection('deliveries').insertMany([...records, record(other.id, 1)]);
});
afterAll(async () => {
  await dispatcher.drop();
  await dispatcher.stop();
});

type Page = { items: LoggedDelivery[]; nextCursor: string | null };
async function read(query = ''): Promise<Page> {
  return (await dispatcher.call(company, 'get', `${list}?${query}`)).body;
}

/** All pages, and how many items each has. */
async function readAll(query: string): Promise<{ items: LoggedDelivery[]; sizes: number[] }> {
  const pages = [await read(query)];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor) {
    pages.push(await read(`${query}&cursor=${cursor}`));
  }
  return { items: pages.flatMap(({ items }) => items), sizes: pages.map(({ items }) => items.length) };
}

test('gives the newest 50, and as many as asked for', async () => {
  const { items, ...rest } = await read();
  expect(items).toHaveLength(50);
  expect(rest).toEqual({ nextCursor: expect.any(String) });
  expect(items[0]).toEqual({
    id: expect.stringMatching(/77$/),
    event: 'ticket.invoice_added',
    ticket: null,
    eventId: null,
    eventTime: null,
    status: 'canceled',
    statusCode: null,
    maxAttempts: 0,
    attempts: [],
    createdAt: `${day}T08:01:59.000Z`,
    nextAttemptAt: null,
  });
  expect(items[1]?.ticket).toEqual({ id: tickets[0], number: 'T-0', title: 'Leak' });
  const times = items.map(({ createdAt }) => createdAt);
  expect(times).toEqual([...times].sort().reverse());
  expect((await read('limit=100')).items).toHaveLength(100);
});

test.each(['', 'status=failed', `ticket=${tickets[0]}`, `event=ticket.quote_added&since=${isoAt(30)}`])(
  'its pages give each delivery once, the newest first, if filtered by "%s"',
  async (filter) => {
    const { items: all } = await read(`${filter}&limit=100`);
    const { items, sizes } = await readAll(`${filter}&limit=7`);
    expect(items.slice(0, 100)).toEqual(all);
    expect(items.length).toBeGreaterThan(7);
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    expect(sizes.slice(0, -1).every((size) => size === 7)).toBe(true);
    if (filter === '') expect(items).toHaveLength(120);
  },
);

test('a page that ends within a millisecond is continued there', async () => {
  const all = (await readAll('limit=100')).items.map(({ id }) => id);
  for (const limit of [1, 2, 3]) {
    const around = `since=${isoAt(59)}&until=${isoAt(65)}`;
    const { items } = await readAll(`${around}&limit=${limit}`);
    expect(items.map(({ id }) => id)).toEqual(all.slice(119 - 64, 119 - 58));
  }
});

test('the last page says so, also if it is full', async () => {
  expect((await read(`until=${isoAt(7)}&limit=7`)).nextCursor).toBeNull();
  expect((await read(`until=${isoAt(8)}&limit=7`)).nextCursor).not.toBeNull();
  expect(await read('event=webhook.test')).toEqual({ items: [], nextCursor: null });
});

test.each([
  ['status=failed', 24],
  ['event=ticket.quote_added', 40],
  ['event=ticket.quote_added&status=failed', 8],
  ['event=webhook.test', 0],
])('filtered by %s has %i', async (query, count) => {
  const { items } = await read(`limit=100&${query}`);
  expect(items).toHaveLength(count);
  const wanted = Object.fromEntries(new URLSearchParams(query));
  for (const item of items) expect(item).toMatchObject(wanted);
});

test.each([
  [`ticket=${tickets[0]}`, 60],
  [`ticket=${tickets[0]?.toUpperCase()}`, 60],
  [`ticket=${tickets[1]}`, 30],
  [`ticket=${tickets[1]}&status=failed`, 6],
  [`ticket=${'f'.repeat(24)}`, 0],
])('filtered by %s has %i of that ticket', async (query, count) => {
  const { items } = await read(`limit=100&${query}`);
  expect(items).toHaveLength(count);
  const wanted = new URLSearchParams(query).get('ticket')?.toLowerCase();
  for (const item of items) expect(item.ticket?.id).toBe(wanted);
});

test.each([
  [`since=${isoAt(110)}`, [119, 110]],
  [`since=${firstAt + 110_000}`, [119, 110]],
  [`since=${day}T09:01:50%2B01:00`, [119, 110]],
  // Without a zone it is UTC, whatever the zone of the server.
  [`since=${day}%2008:01:50`, [119, 110]],
  [`until=${isoAt(10)}`, [9, 0]],
  [`since=${isoAt(100)}&until=${isoAt(110)}`, [109, 100]],
  [`since=${isoAt(110)}&until=${isoAt(100)}`, []],
])('%s: from the start to before the end', async (query, bounds) => {
  const { items } = await read(`limit=100&${query}`);
  const numbers = items.map(({ id }) => Number.parseInt(id, 16));
  const [newest, oldest] = bounds;
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  expect([numbers[0], numbers.at(-1)]).toEqual([newest, oldest]);
});

test.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=ten', 'limit'],
  ['limit[$gt]=1', 'limit[$gt]'],
  ['status=lost', 'status'],
  ['status[$ne]=x', 'status[$ne]'],
  ['event=*', 'event'],
  ['page=2', 'page'],
  ['ticket=T-1', 'ticket'],
  ['since=yesterday', 'since'],
  ['since=2026-02-30T00:00:00Z', 'since'],
  ['until=-1', 'until'],
  ['until=', 'until'],
  ['since=1&since=2', 'since'],
  [`cursor=${'x'.repeat(101)}`, 'cursor'],
])('refuses %s with 422 that names it', async (query, name) => {
  const refused = await dispatcher.call(company, 'get', `${list}?${query}`);
  expect(refused.status).toBe(422);
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toContain(name);
});

test('a cursor that was never given is 422 invalid_cursor', async () => {
  for (const cursor of ['abc', 'f'.repeat(24), Buffer.from('1.x').toString('base64url')]) {
    const refused = await dispatcher.call(company, 'get', `${list}?cursor=${cursor}`);
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_cursor' } });
  }
});

test('a cursor and a ticket lead to no delivery of another endpoint', async () => {
  const { nextCursor } = await read('limit=1');
  const stranger = aCompany();
  const { id } = await dispatcher.endpoint(stranger, 'https://127.0.0.1:1/');
  for (const query of [`cursor=${nextCursor}`, `ticket=${tickets[0]}`, `since=${isoAt(0)}`]) {
    const theirs = await dispatcher.call(stranger, 'get', `${list}?${query}`);
    expect(theirs.status).toBe(404);
    const own = await dispatcher.call(stranger, 'get', `/webhooks/endpoints/${id}/deliveries?${query}`);
    expect(own.body).toEqual({ items: [], nextCursor: null });
  }
});
