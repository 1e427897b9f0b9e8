import { subscribableEvents } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, rowsOfCsv, rowsOfXlsx } from '@app/testing';
import { aCompany, type LoggedDelivery, useDispatcher } from '../dispatcher.ts';

const dayMs = 86_400_000;
const company = aCompany();
const tickets = [newId(), newId()];
/** Yesterday: the log is kept for 90 days. */
const day = new Date(Date.now() - dayMs).toISOString().slice(0, 10);
const firstAt = Date.parse(`${day}T08:00:00Z`);
const isoAt = (n: number) => new Date(firstAt + 1_000 * n).toISOString();
/** No receiver listens there. */
const nobody = 'https://127.0.0.1:1/';
const own = useDispatcher({ retryDelaysMs: [] });
let list: string;

const collection = () => own.dispatcher.connection.collection<{ _id: string }>('deliveries');
const pathOf = ({ id }: { id: string }) => `/webhooks/endpoints/${id}`;

/** 120 deliveries, one a second; three in the same millisecond as number 60. */
beforeAll(async () => {
  const [one, other] = [await own.dispatcher.endpoint(company, nobody), await own.dispatcher.endpoint(company, nobody)];
  list = `${pathOf(one)}/deliveries`;
  const statuses = ['pending', 'succeeded', 'failed', 'exhausted', 'canceled'];
  const record = (endpointId: string, n: number, at = n) => ({
    _id: endpointId === one.id ? n.toString(16).padStart(24, '0') : newId(),
    endpointId,
    body: '{}',
    event: subscribableEvents[n % 3],
    status: statuses[n % 5],
    tries: 0,
    attempts: [],
    nextAttemptAt: null,
    ...(n % 4 === 3 ? {} : { ticket: { id: tickets[n % 2], number: `T-${n % 2}`, title: 'Leak' } }),
    createdAt: new Date(firstAt + 1_000 * at),
  });
  const records = Array.from({ length: 120 }, (_, n) => record(one.id, n, n >= 60 && n < 64 ? 60 : n));
  await collection().insertMany([...records, record(other.id, 1)]);
});

type Page = { items: LoggedDelivery[]; nextCursor: string | null };
async function read(query = ''): Promise<Page> {
  return (await own.dispatcher.call(company, 'get', `${list}?${query}`)).body;
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
  [`ticket=${tickets[0]}`, 60],
  [`ticket=${tickets[0]?.toUpperCase()}`, 60],
  [`ticket=${tickets[1]}&status=failed`, 6],
  [`ticket=${'f'.repeat(24)}`, 0],
])('filtered by %s has %i, and no other', async (query, count) => {
  const { items } = await read(`limit=100&${query}`);
  expect(items).toHaveLength(count);
  const { ticket, ...wanted } = Object.fromEntries(new URLSearchParams(query));
  for (const item of items) {
    expect(item).toMatchObject({ ...wanted, ...(ticket ? { ticket: { id: ticket.toLowerCase() } } : {}) });
  }
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
  [`cursor=${'x'.repeat(501)}`, 'cursor'],
])('refuses %s with 422 that names it', async (query, name) => {
  const refused = await own.dispatcher.call(company, 'get', `${list}?${query}`);
  expect(refused.status).toBe(422);
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toContain(name);
});

test('several statuses and events are found together, and the oldest first if asked for', async () => {
  const { items } = await readAll(
    'status=failed,pending&event=ticket.quote_added,ticket.status_changed&order=asc&limit=7',
  );
  const wanted = (await readAll('limit=100')).items.filter(
    ({ status, event }) =>
      ['failed', 'pending'].includes(status) && ['ticket.quote_added', 'ticket.status_changed'].includes(event),
  );
  expect(items.length).toBeGreaterThan(20);
  expect(items).toEqual(wanted.reverse());
});

test.each([
  ['csv', async (bytes: Buffer) => rowsOfCsv(bytes, ';')],
  ['xlsx', rowsOfXlsx],
])('a %s holds the deliveries of the filter, newest first', async (format, rowsOf) => {
  const query = `status=failed&ticket=${tickets[1]}&format=${format}&language=fr`;
  const [titles = [], ...rows] = await rowsOf(await own.dispatcher.download(company, `${list}/export?${query}`));
  expect(titles.slice(0, 4)).toEqual(['Créée le (UTC)', 'Événement', 'Statut', 'Ticket']);
  const { items } = await read(`limit=100&status=failed&ticket=${tickets[1]}`);
  expect(rows.map((row) => row.at(-1))).toEqual(items.map(({ id }) => id));
  expect(rows[0]?.slice(1, 4)).toEqual([items[0]?.event, 'Nouvel essai', 'T-1']);
  const stranger = aCompany();
  expect((await own.dispatcher.call(stranger, 'get', `${list}/export`)).status).toBe(404);
});

test('a cursor that was never given is 422 invalid_cursor', async () => {
  for (const cursor of ['abc', 'f'.repeat(24), Buffer.from('1.x').toString('base64url')]) {
    const refused = await own.dispatcher.call(company, 'get', `${list}?cursor=${cursor}`);
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_cursor' } });
  }
});

test('a cursor and a ticket lead to no delivery of another endpoint', async () => {
  const { nextCursor } = await read('limit=1');
  const stranger = aCompany();
  const { id } = await own.dispatcher.endpoint(stranger, nobody);
  for (const query of [`cursor=${nextCursor}`, `ticket=${tickets[0]}`, `since=${isoAt(0)}`]) {
    const theirs = await own.dispatcher.call(stranger, 'get', `${list}?${query}`);
    expect(theirs.status).toBe(404);
    const theirOwn = await own.dispatcher.call(stranger, 'get', `${pathOf({ id })}/deliveries?${query}`);
    expect(theirOwn.body).toEqual({ items: [], nextCursor: null });
  }
});

/** What MongoDB's TTL indexes delete of an endpoint in so many days. */
async function goneIn(days: number, endpointId: string): Promise<string[]> {
  const at = Date.now() + days * dayMs;
  const gone: string[] = [];
  for (const { key, expireAfterSeconds, partialFilterExpression = {} } of await collection().indexes()) {
    if (expireAfterSeconds === undefined) continue;
    const [field = ''] = Object.keys(key);
    const passed = { endpointId, [field]: { $lte: new Date(at - expireAfterSeconds * 1_000) } };
    const found = await collection().find({ $and: [passed, partialFilterExpression] } as never);
    gone.push(...(await found.toArray()).map(({ _id }) => _id));
  }
  return gone.sort();
}

/** A delivery that ended at some time, of an endpoint that is active. */
async function ended(endpointId: string, status: string, createdAt: Date): Promise<string> {
  const record = {
    _id: newId(),
    endpointId,
    event: 'ticket.quote_added',
    body: '{}',
    status,
    tries: 6,
    attempts: [],
    createdAt,
    nextAttemptAt: null,
  };
  await collection().insertOne(record);
  return record._id;
}

test.each(['recovered', 'redelivered'])(
  'the log is kept for 90 days, and deliveries that were %s for 90 days from then',
  async (how) => {
    const { id } = await own.dispatcher.endpoint(company, nobody);
    const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
    const older = await ended(id, 'canceled', daysAgo(89.9));
    const anew = await ended(id, 'canceled', daysAgo(89));
    const post = (path: string, body?: object) =>
      own.dispatcher.call(company, 'post', `${pathOf({ id })}/${path}`, body);
    const answer =
      how === 'recovered'
        ? await post('recover', { since: daysAgo(89.5).toISOString() })
        : await post(`deliveries/${anew}/redeliver`);
    expect(answer.status).toBe(202);
    await eventually(async () => {
      const exhausted = await own.dispatcher.deliveries(company, id, '?status=exhausted');
      expect(exhausted).toMatchObject([{ id: anew }]);
    });
    expect(await goneIn(0, id)).toEqual([]);
    for (const days of [1.5, 89]) expect(await goneIn(days, id)).toEqual([older]);
    expect(await goneIn(91, id)).toEqual([older, anew].sort());
  },
);

test.each([
  // Created at 10:00, 10:30 and 11:00 UTC.
  [`${day}T12:30+02`, 2, undefined],
  [`${day} 10:30`, 2, undefined],
  [`${day}T10:30:00.001Z`, 1, undefined],
  [`${day}T10:00Z`, 1, `${day}T12:30+02`],
  [String(Date.parse(`${day}T10:30Z`)), 2, undefined],
  [`${day}T10:30Z`, 0, `${day}T10:30Z`],
])(
  'recover since %s sends %i deliveries made since then again, before %s, and a dry run says so',
  async (since, queued, until) => {
    const { id } = await own.dispatcher.endpoint(company, nobody);
    for (const time of ['10:00', '10:30', '11:00']) await ended(id, 'exhausted', new Date(`${day}T${time}:00Z`));
    const recover = (body: object) => own.dispatcher.call(company, 'post', `${pathOf({ id })}/recover`, body);
    const activate = (active: boolean) => own.dispatcher.call(company, 'patch', pathOf({ id }), { active });
    const made = { since, ...(until ? { until } : {}) };
    await activate(false);
    expect(await recover({ ...made, dryRun: true })).toMatchObject({ status: 200, body: { queued } });
    expect((await recover(made)).body).toMatchObject({ code: 'webhook_endpoint_inactive' });
    expect(await own.dispatcher.deliveries(company, id, '?status=exhausted')).toHaveLength(3);
    await activate(true);
    expect(await recover(made)).toMatchObject({ status: 202, body: { queued } });
  },
);

test.each([
  {},
  { since: 'yesterday' },
  { since: 1_700_000_000 },
  { since: '2026-02-30T00:00:00Z' },
  { since: '2026-01-01T00:00:00Z', until: 'now' },
  { since: '2026-01-01T00:00:00Z', dryRun: 'yes' },
  { dryRun: true },
])('recover with %p is 422', async (body) => {
  const path = list.replace('/deliveries', '/recover');
  expect((await own.dispatcher.call(company, 'post', path, body)).status).toBe(422);
});
