import { type DomainEvent, invoiceFeedbackRequested, invoiceGone } from '@app/contracts';
import { newId } from '@app/kernel';
import { createRelay } from '@app/messaging';
import { ensureIndexes, eventFixture, eventually, testDatabase, testInfra, testLogger } from '@app/testing';
import { type Connection, createConnection } from 'mongoose';
import type { FeedbackJob, Job } from '../../jobs/job.ts';
import { JobStore } from '../../jobs/job-store.ts';

let own: Awaited<ReturnType<typeof testDatabase>>;
let database: Connection;
let jobs: JobStore;
/** While the broker is away, events stay with their jobs. */
let isAway = false;
const published: DomainEvent[] = [];
const broker = {
  async publish(events: DomainEvent[]) {
    if (isAway) throw new Error('the broker is away');
    published.push(...events);
  },
};
const relay = createRelay({ broker, logger: testLogger(), sweptAfterMs: 0 });

beforeAll(async () => {
  own = await testDatabase();
  database = await createConnection(testInfra().mongodbUrl, {
    dbName: own.connection.name,
    monitorCommands: true,
    writeConcern: { w: 'majority', journal: true },
  }).asPromise();
  jobs = new JobStore({ database, relay, now: () => new Date() });
  await ensureIndexes(database);
});
afterAll(async () => {
  await relay.stop();
  await database.close();
  await own.drop();
});

const at = new Date();
const inAnHour = new Date(at.getTime() + 3_600_000);
const want = (connectionId: string, ...externalIds: string[]) => jobs.enqueueFetches({ connectionId, externalIds, at });
const claim = (connectionId: string) => jobs.claim(connectionId, 2, { id: newId(), from: new Date(), until: inAnHour });

test('a claim is acknowledged by a majority: an election must not forget under which lease files were stored', async () => {
  const connectionId = newId();
  const concerns: unknown[] = [];
  await want(connectionId, 'a', 'b');
  database.getClient().on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'update') concerns.push(command['writeConcern']);
  });
  expect(await claim(connectionId)).toHaveLength(2);
  expect(concerns).toEqual([{ w: 'majority', j: true }]);
});

test.each<[string, (job: Job) => Promise<unknown>]>([
  ['fails for now', (job) => jobs.scheduleRetry(job, { at: inAnHour, reason: 'busy', isFailure: true })],
  ['is given up', (job) => jobs.giveUp(job, 'refused', { events: [], expiresAt: inAnHour })],
])('an invoice requested during a fetch that %s is due again at once, and no failure counts', async (_how, end) => {
  const connectionId = newId();
  await want(connectionId, 'again');
  const [job] = await claim(connectionId);
  await want(connectionId, 'again');
  await end(job as Job);
  const record = await database.collection('jobs').findOne({ connectionId });
  expect(record).toMatchObject({ failures: 0, requests: 2 });
  expect(record).not.toHaveProperty('givenUpAt');
  expect(await claim(connectionId)).toHaveLength(1);
});

test('a change that a poll lists again does not hurry the next attempt', async () => {
  const connectionId = newId();
  const list = () =>
    jobs.enqueueListed([{ externalId: 'waits', deleted: false, changedAt: at }], { connectionId, at: new Date() });
  await list();
  const [job] = await claim(connectionId);
  await jobs.scheduleRetry(job as Job, { at: inAnHour, reason: 'busy', isFailure: true });
  await list();
  const record = await database.collection('jobs').findOne({ connectionId });
  expect(record).toMatchObject({ failures: 1, requests: 1, dueAt: inAnHour });
});

test('a change that a poll lists again under the same time is requested once; one without a time, or with another, again', async () => {
  const connectionId = newId();
  const list = (changedAt: Date | null) =>
    jobs.enqueueListed([{ externalId: 'listed', deleted: false, changedAt }], { connectionId, at });
  const requests: number[] = [];
  const [one, earlier] = [new Date('2026-11-20T10:00:00Z'), new Date('2026-11-20T09:00:00Z')];
  for (const changedAt of [one, one, null, null, one, one, earlier]) {
    await list(changedAt);
    const [job] = await claim(connectionId);
    requests.push(job ? 1 : 0);
    if (job) await jobs.finish(job, { events: [], expiresAt: inAnHour });
  }
  expect(requests).toEqual([1, 0, 1, 1, 1, 0, 1]);
  // A webhook tells of a change that no list has told yet.
  await want(connectionId, 'listed');
  expect(await claim(connectionId)).toHaveLength(1);
});

const blocked = { at: inAnHour, reason: 'an older one is being sent', isFailure: false };
/** Two statuses of an invoice, claimed: the older one and the later one. */
async function twoStatuses(connectionId: string): Promise<[FeedbackJob, FeedbackJob]> {
  const request = { ...eventFixture(invoiceFeedbackRequested).data, connection_id: connectionId, invoice_id: newId() };
  for (const link_version of [1, 2]) await jobs.enqueueFeedback({ ...request, link_version, outcome: 'disputed' }, at);
  const claimed = (await claim(connectionId)) as FeedbackJob[];
  return claimed.sort((one, other) => one.request.link_version - other.request.link_version) as never;
}
const done = { events: [], expiresAt: inAnHour };

test('a status that waits for an older one is due once that has ended, and not before', async () => {
  const connectionId = newId();
  const [older, later] = await twoStatuses(connectionId);
  await jobs.block(later, blocked);
  expect(await claim(connectionId)).toEqual([]);
  await jobs.finish(older, done);
  expect(await claim(connectionId)).toMatchObject([{ id: later.id, failures: 0 }]);
});

test('a status is due at once if the older one ended while it was put off', async () => {
  const connectionId = newId();
  const [older, later] = await twoStatuses(connectionId);
  await jobs.finish(older, done);
  await jobs.block(later, blocked);
  expect(await claim(connectionId)).toMatchObject([{ id: later.id }]);
});

test('invoices fetched before the deletion are published, even if that comes after it', async () => {
  const connectionId = newId();
  isAway = true;
  await want(connectionId, 'unpublished', 'plain');
  const first = await claim(connectionId);
  const unpublished = first.find((job) => job.kind === 'fetch' && job.externalId === 'unpublished');
  const external = { provider: 'sandbox', external_id: 'unpublished' };
  const gone = { client_id: newId(), ...external, at: at.toISOString(), sequence: 1 };
  await want(connectionId, 'unpublished', 'plain');
  for (const job of first) {
    await jobs.finish(job, { events: job === unpublished ? [invoiceGone(gone, at)] : [], expiresAt: at });
  }
  // Requested again meanwhile, both wait for their next fetch; the connection is deleted before.
  await jobs.discardFetches(await claim(connectionId), inAnHour);
  const left = await database.collection('jobs').find({ connectionId }).toArray();
  expect(left).toMatchObject([{ _id: unpublished?.id, expiresAt: inAnHour, outbox: [{ type: invoiceGone.type }] }]);
  expect(left[0]).not.toHaveProperty('dueAt');
  isAway = false;
  relay.start();
  await eventually(() => expect(published).toMatchObject([{ data: gone }]));
});
