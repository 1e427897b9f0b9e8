import { newId } from '@app/kernel';
import { createRelay } from '@app/messaging';
import { createSecretBox } from '@app/runtime';
import { ensureIndexes, profiled, testDatabase, testLogger } from '@app/testing';
import { ConnectionStore } from '../connections/connection-store.ts';
import { createProviderAccountStore, type ProviderAccountStore } from '../connections/provider-account-store.ts';
import { JobStore } from '../jobs/job-store.ts';
import { createPollStore } from '../polls/poll-store.ts';
import { aKey } from './service.ts';

const now = Date.now();
const connectionIds = Array.from({ length: 20 }, () => newId()).sort();
const clients = Array.from({ length: 50 }, () => newId()).sort();
const perConnection = 300;
let database: Awaited<ReturnType<typeof testDatabase>>;
let jobs: JobStore;
let accounts: ProviderAccountStore;

beforeAll(async () => {
  database = await testDatabase();
  const { connection } = database;
  const relay = createRelay({ broker: { publish: async () => undefined }, logger: testLogger() });
  jobs = new JobStore({ database: connection, relay, now: () => new Date() });
  new ConnectionStore({ database: connection, secrets: createSecretBox([aKey()]) });
  accounts = createProviderAccountStore(connection);
  await ensureIndexes(connection);
  const queued = connectionIds.flatMap((connectionId, index) =>
    Array.from({ length: perConnection }, (_, n) => ({
      _id: `fetch/${connectionId}/${n}` as never,
      connectionId,
      kind: 'fetch',
      externalId: String(n),
      failures: 0,
      requests: 1,
      // Half of the jobs are done. Of the rest, all are due at every fourth connection and none elsewhere.
      ...(n % 2 ? {} : { dueAt: new Date(now + (index % 4 === 0 ? -1_000 : 60_000) - n) }),
    })),
  );
  await connection.collection('jobs').insertMany(queued);
  const connections = clients.flatMap((client, index) =>
    Array.from({ length: 20 }, (_, n) => ({
      _id: newId() as never,
      client,
      provider: 'sandbox',
      active: n === 0,
      deleted: n > 10,
      health: { status: 'ok' },
      ...(n === 0 ? { pollDueAt: new Date(now + (index - 10) * 1_000) } : {}),
    })),
  );
  await connection.collection('connections').insertMany(connections);
});
afterAll(() => database.drop());

/** What MongoDB examined for the queries of `work` on a collection. */
async function examined(collection: string, work: () => Promise<unknown>) {
  const operations = await profiled(database, work);
  return operations
    .filter(({ ns }) => ns.endsWith(`.${collection}`))
    .map(({ planSummary, keysExamined, docsExamined }) => {
      return { plan: String(planSummary), keys: Number(keysExamined), documents: Number(docsExamined) };
    });
}

test('looking for connections with something due costs one key a connection, however much waits', async () => {
  let due: string[] = [];
  const [query] = await examined('jobs', async () => {
    due = await jobs.dueConnections('', 1_000, new Date(now));
  });
  expect(due).toEqual(connectionIds.filter((_, index) => index % 4 === 0));
  expect(query?.plan).toContain('DISTINCT_SCAN');
  expect([query?.documents, Number(query?.keys) <= 2 * connectionIds.length]).toEqual([0, true]);
});

test('a claim reads only the jobs that it claims', async () => {
  const lease = { id: 'lease', from: new Date(now), until: new Date(now + 60_000) };
  const queries = await examined('jobs', () => jobs.claim(String(connectionIds[4]), 10, lease));
  expect(queries).toHaveLength(3);
  for (const query of queries) expect(query.documents).toBeLessThanOrEqual(10);
});

test('wanting invoices reads one document each', async () => {
  const externalIds = Array.from({ length: 10 }, (_, n) => String(n));
  const wanted = { connectionId: String(connectionIds[0]), externalIds, at: new Date() };
  for (const query of await examined('jobs', () => jobs.enqueueFetches(wanted)))
    expect(query.documents).toBeLessThanOrEqual(1);
});

test('revoking leases reads only the due jobs of one connection', async () => {
  const queries = await examined('jobs', () => jobs.revokeLeases(String(connectionIds[8]), new Date()));
  for (const query of queries) expect(query.documents).toBeLessThanOrEqual(perConnection / 2);
});

test('counting failures reads no document and stops at the maximum', async () => {
  const gone = Array.from({ length: 1_100 }, (_, n) => ({
    _id: `fetch/given-up/${n}` as never,
    connectionId: 'given-up',
    givenUpAt: new Date(now),
  }));
  await database.connection.collection('jobs').insertMany(gone);
  let counted = 0;
  const [query] = await examined('jobs', async () => {
    counted = await jobs.countFailures('given-up');
  });
  expect([counted, query?.documents, Number(query?.keys) <= 1_001]).toEqual([1_000, 0, true]);
});

test('the connection of a webhook, a list and the next poll are found by their indexes', async () => {
  const { connection } = database;
  const polls = createPollStore(connection);
  const store = new ConnectionStore({ database: connection, secrets: createSecretBox([aKey()]) });
  const lease = { id: 'a', from: new Date(now), until: new Date(now + 60_000) };
  const queries = [
    ...(await examined('connections', () => accounts.findActive(String(clients[7]), 'sandbox'))),
    ...(await examined('connections', () =>
      polls.claim(lease, { now: new Date(now), latest: new Date(now + 3_600_000), except: ['pennylane'] }),
    )),
  ];
  expect(queries.map(({ plan, documents }) => [/^IXSCAN/.test(plan), documents])).toEqual([
    [true, 1],
    [true, 1],
  ]);
  const [list] = await examined('connections', () => store.list(String(clients[7])));
  expect([list?.plan, list?.documents]).toEqual([expect.stringMatching(/^IXSCAN/), 11]);
});
