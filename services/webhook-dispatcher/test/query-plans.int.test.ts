import { subscribableEvents } from '@app/contracts';
import { newId } from '@app/kernel';
import { ensureIndexes, eventually, profiled, testDatabase } from '@app/testing';
import { deliveryStatuses } from '../deliveries/delivery.ts';
import { loggedBy } from '../deliveries/delivery-list.ts';
import { createDeliveryLogStore } from '../deliveries/delivery-log-store.ts';
import { createDeliveryStore } from '../deliveries/delivery-store.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { createEndpointStore, type EndpointStore } from '../endpoints/endpoint-store.ts';
import { SubscriberCache } from '../endpoints/subscriber-cache.ts';
import { createFailingEndpoints } from '../sending/failing-endpoints-store.ts';
import { createAttemptStatisticsStore } from '../statistics/attempt-statistics-store.ts';
import { quietRelay } from './quiet-relay.ts';

const now = Date.now();
const endpointIds = Array.from({ length: 8 }, () => newId()).sort();
const ticketIds = Array.from({ length: 3 }, () => newId());
const perEndpoint = 500;
let database: Awaited<ReturnType<typeof testDatabase>>;
let endpoints: EndpointStore;

beforeAll(async () => {
  database = await testDatabase();
  createDeliveryStore(database.connection);
  endpoints = createEndpointStore(database.connection, quietRelay);
  await ensureIndexes(database.connection);
  const records = endpointIds.flatMap((endpointId, index) =>
    Array.from({ length: perEndpoint }, (_, n) => ({
      _id: newId() as never,
      endpointId,
      event: subscribableEvents[n % subscribableEvents.length],
      ...(n % 10 === 9 ? {} : { ticket: { id: ticketIds[n % 3], number: `T-${n % 3}`, title: 'Leak' } }),
      body: '{}',
      status: deliveryStatuses[n % deliveryStatuses.length],
      tries: 0,
      attempts: [],
      createdAt: new Date(now - n * 1_000),
      nextAttemptAt: null,
      // All deliveries of every fourth endpoint are due, those of the others not yet.
      dueAt: new Date(now + (index % 4 === 0 ? -1_000 : 60_000) - n),
    })),
  );
  await database.connection.collection('deliveries').insertMany(records);
});
afterAll(() => database.drop());

/** What MongoDB had to look at for the queries that `work` makes. */
async function examined(work: () => Promise<unknown>, collection = 'deliveries') {
  const operations = await profiled(database, work);
  return operations
    .filter(({ ns }) => ns.endsWith(`.${collection}`))
    .map(({ op, planSummary, keysExamined, docsExamined }) => ({
      command: op,
      plan: planSummary,
      keys: Number(keysExamined),
      documents: Number(docsExamined),
    }));
}

test('finding endpoints with something due reads one key per endpoint, however much waits', async () => {
  const deliveries = createDeliveryStore(database.connection);
  let due: string[] = [];
  const [query] = await examined(async () => {
    due = await deliveries.dueEndpoints('', 1_000, new Date(now));
  });
  expect(due).toEqual(endpointIds.filter((_, index) => index % 4 === 0));
  expect(query?.plan).toContain('DISTINCT_SCAN');
  expect(query?.keys).toBeLessThanOrEqual(2 * endpointIds.length);
  expect(query?.documents).toBe(0);
});

test('what is due is counted without what waits for later, and the longest due found by one key for each endpoint', async () => {
  const log = createDeliveryLogStore(database.connection);
  const dueEndpoints = endpointIds.length / 4;
  let due: [number, Date | null] = [0, null];
  const [count, oldest] = await examined(async () => {
    due = [await log.countDue(new Date(now)), await log.oldestDue(new Date(now))];
  });
  expect(due).toEqual([dueEndpoints * perEndpoint, new Date(now - 1_000 - (perEndpoint - 1))]);
  expect(count?.documents).toBe(0);
  expect(count?.keys).toBeLessThanOrEqual(dueEndpoints * perEndpoint + 2 * endpointIds.length);
  expect(oldest?.plan).toContain('DISTINCT_SCAN');
  expect(oldest?.keys).toBeLessThanOrEqual(2 * endpointIds.length);
});

test('endpoints with something due come in pages', async () => {
  const deliveries = createDeliveryStore(database.connection);
  const first = await deliveries.dueEndpoints('', 2, new Date(now));
  const second = await deliveries.dueEndpoints(String(first.at(-1)), 10, new Date(now));
  expect([...first, ...second]).toEqual(endpointIds.filter((_, index) => index % 4 === 0));
});

const [status, event, ticket] = ['exhausted' as const, 'ticket.report_added', String(ticketIds[0])];
const [since, until] = [new Date(now - 400_000), new Date(now - 90_000)];

test.each([
  [{}],
  [{ status }],
  [{ event }],
  [{ status, event }],
  [{ since, until }],
  [{ status, event, since, until }],
  [{ ticket }],
  [{ ticket, status }],
  [{ ticket, event }],
  [{ ticket, status, event, since, until }],
])('each page of the log filtered by %j reads little more than it gives', async (filter) => {
  const log = createDeliveryLogStore(database.connection);
  let cursor: string | undefined;
  for (const _page of [1, 2]) {
    let given: object[] = [];
    const queries = await examined(async () => {
      const { items, nextCursor } = await log.read.page(String(endpointIds[1]), loggedBy(filter), { limit: 4, cursor });
      given = items;
      cursor = nextCursor ?? undefined;
    });
    const [query] = queries.filter(({ command }) => command === 'query');
    expect(given.length).toBeGreaterThan(0);
    // The last of the page before, and the first of the next.
    expect(query?.documents).toBeLessThanOrEqual(given.length + 2);
    expect(query?.keys).toBeLessThanOrEqual(given.length + 100);
  }
});

test('what may be recovered is counted by its keys alone', async () => {
  const log = createDeliveryLogStore(database.connection);
  let found = 0;
  const [query] = await examined(async () => {
    found = await log.countRecoverable(String(endpointIds[3]), { since, until }, 1_000);
  });
  expect(found).toBeGreaterThan(50);
  expect(query?.documents).toBe(0);
  expect(query?.keys).toBeLessThanOrEqual(found + 100);
});

test('statistics read the periods that they give alone, whatever other endpoints and periods there are', async () => {
  const statistics = createAttemptStatisticsStore(database.connection);
  const hourMs = 3_600_000;
  // MongoDB removes what is old, once a minute.
  const begin = Math.ceil(Date.now() / hourMs) * hourMs;
  const counts = { succeeded: 1, failed: 0, exhausted: 0, durations: { 4: 1 } };
  const periods = endpointIds
    .slice(0, 3)
    .flatMap((endpointId) =>
      [hourMs, hourMs / 12].flatMap((periodMs) =>
        Array.from({ length: 100 }, (_, n) => ({ endpointId, periodMs, at: new Date(begin + n * periodMs) })),
      ),
    );
  await statistics.add(periods.map((period) => ({ period, counts })));
  const of = { endpointId: String(endpointIds[1]), periodMs: hourMs };
  const range = { since: new Date(begin + 10 * hourMs), until: new Date(begin + 14 * hourMs) };
  // Reads are of what a majority has, which the counts do not wait for.
  await eventually(async () => expect(await statistics.list(of, range)).toHaveLength(4));
  let found: object[] = [];
  const [query] = await examined(async () => {
    found = await statistics.list(of, range);
  }, 'attempt_counts');
  expect(found).toEqual([10, 11, 12, 13].map((n) => ({ at: new Date(begin + n * hourMs), counts })));
  expect([query?.plan, query?.documents]).toEqual(['IXSCAN { _id: 1 }', 4]);
});

test('a page of a redelivery looks at the deliveries that it starts again alone', async () => {
  const log = createDeliveryLogStore(database.connection);
  const endpoint = { id: String(endpointIds[2]) } as Endpoint;
  const page = { limit: 20, filter: { status: 'canceled' as const }, cursor: null };
  const when = { at: new Date(now), unlessSince: new Date(now) };
  const queries = await examined(() => log.redeliverPage(endpoint, page, when));
  expect(queries.map(({ command }) => command)).toEqual(['query', 'update']);
  for (const { documents, keys } of queries) expect(Math.max(documents, keys)).toBeLessThanOrEqual(20 + 30);
});

test('the subscribers of many events are one query, which reads the endpoints of their companies alone', async () => {
  const companies = Array.from({ length: 40 }, () => newId());
  const records = companies.flatMap((companyId) =>
    [0, 1].map((slot) => ({
      _id: newId() as never,
      companyId,
      slot,
      name: 'ERP',
      url: 'https://example.com/',
      active: true,
      consecutiveFailures: 0,
      events: slot === 0 ? ['ticket.quote_added'] : ['ticket.quote_added', 'ticket.report_added'],
    })),
  );
  await database.connection.collection('endpoints').insertMany(records);
  let subscribed: string[][] = [];
  const queries = await examined(async () => {
    const asked = [
      { companyIds: companies.slice(0, 2), event: 'ticket.quote_added' },
      { companyIds: companies.slice(1, 3), event: 'ticket.report_added' },
      { companyIds: [newId()], event: 'ticket.report_added' },
    ];
    const cache = new SubscriberCache({ endpoints });
    const found = await Promise.all(asked.map(({ companyIds, event }) => cache.find(companyIds, event)));
    subscribed = found.map((targets) => targets.map(({ endpoint }) => endpoint.companyId));
  }, 'endpoints');
  const [a, b, c] = companies;
  expect(subscribed.map((list) => list.sort())).toEqual([[a, a, b, b].sort(), [b, c].sort(), []]);
  expect(queries).toHaveLength(1);
  expect(queries[0]?.plan).toContain('companyId');
  expect(queries[0]?.documents).toBe(6);
});

test.each([500, 501, 1_200])('%d endpoints that subscribe to one event are all found', async (count) => {
  const companies = Array.from({ length: count / 10 + 1 }, () => newId());
  const records = Array.from({ length: count }, (_, n) => ({
    _id: newId() as never,
    companyId: companies[Math.floor(n / 10)],
    slot: n % 10,
    name: 'ERP',
    url: 'https://example.com/',
    events: ['ticket.quote_added'],
    active: true,
    consecutiveFailures: 0,
  }));
  await database.connection.collection('endpoints').insertMany(records);
  const subscribed = await new SubscriberCache({ endpoints }).find(companies, 'ticket.quote_added');
  expect(subscribed.map(({ endpoint }) => endpoint.id).sort()).toEqual(records.map(({ _id }) => _id).sort());
});

test('whether an endpoint is failing is found without reading the rest', async () => {
  const failing = createFailingEndpoints(database.connection, { now: () => new Date() });
  const [endpointId = '', companyId] = [newId(), newId()];
  const records = Array.from({ length: 100 }, (_, n) => ({
    _id: (n === 0 ? endpointId : newId()) as never,
    companyId: n < 2 ? companyId : newId(),
    slot: n % 2,
    name: 'ERP',
    url: 'https://example.com/',
    events: [],
    active: true,
    consecutiveFailures: 0,
  }));
  await database.connection.collection('endpoints').insertMany(records);
  const attempt = {
    at: new Date(now),
    statusCode: 500,
    durationMs: 1,
    error: 'status_not_2xx' as const,
    responseBody: '',
  };
  const known = String(endpointIds[1]);
  const asked = await examined(async () => {
    await failing.mark([
      { endpointId: known, createdAt: new Date(now - 100_000), attempt },
      { endpointId, createdAt: new Date(now), attempt },
    ]);
  });
  // The endpoint itself, and nothing of the deliveries.
  for (const { documents } of asked) expect(documents).toBeLessThanOrEqual(1);
  expect(Math.max(...asked.map(({ keys }) => keys))).toBeLessThanOrEqual(30);
});

test('a claim reads only the deliveries that it takes', async () => {
  const deliveries = createDeliveryStore(database.connection);
  const lease = { id: 'lease', from: new Date(now), until: new Date(now + 60_000) };
  const queries = await examined(() => deliveries.claim(String(endpointIds[4]), 10, lease));
  expect(queries).toHaveLength(3);
  for (const query of queries) expect(query.documents).toBeLessThanOrEqual(10);
});

test('events that come shortly after each other share one read of the endpoints, and a read that fails is not kept', async () => {
  const [companyId, event] = [newId(), 'ticket.note_added'];
  const answers: (() => Endpoint[])[] = [];
  const found = (id: string) => [{ id, companyId, active: true, events: [event] } as unknown as Endpoint];
  answers.push(
    () => {
      throw new Error('down');
    },
    () => found('first'),
    () => found('second'),
  );
  const listOfCompanies = async () => (answers.shift() ?? (() => []))();
  const cache = new SubscriberCache({ cachedMs: 60_000, endpoints: { listOfCompanies } as never });
  await expect(cache.find([companyId], event)).rejects.toThrow('down');
  for (let read = 0; read < 3; read++) {
    expect((await cache.find([companyId], event)).map(({ endpoint }) => endpoint.id)).toEqual(['first']);
  }
});
