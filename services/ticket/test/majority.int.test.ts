import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { snapshotsRequested } from '@app/contracts';
import { newId } from '@app/kernel';
import { addOutbox, createRelay, on, type WithOutbox } from '@app/messaging';
import { connectMongo, localRead, metrics } from '@app/runtime';
import { createProcesses, freePort } from '@app/start/infra';
import { ensureIndexes, eventFixture, eventually, type MongoSet, startMongoSet, testLogger } from '@app/testing';
import type { AxiosResponse } from 'axios';
import { Schema } from 'mongoose';
import type { TicketDocument } from '../documents/document.ts';
import { createDocumentStore } from '../documents/document-store.ts';
import { createTicketQueries } from '../tickets/stores/ticket-queries-store.ts';
import { idOf, newTicket, usePlatform } from './platform.ts';

const dir = mkdtempSync(join(tmpdir(), 'majority-'));
const processes = createProcesses();
let set: MongoSet;
let url: string;

beforeAll(async () => {
  const ports = [await freePort(), await freePort(), await freePort()];
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  set = await startMongoSet({ dir, ports, hosts, processes, say: () => undefined });
  await neverElect();
  url = `mongodb://${hosts.join(',')}/?replicaSet=rs0`;
}, 300_000);

const database = async () => {
  const connection = await connectMongo({ url, database: 'ticket' });
  return { connection, drop: () => connection.close() };
};
const [one, two] = [usePlatform({ quiet: true, database }), usePlatform({ quiet: true, database })];

afterEach(() => replicate(true));
afterAll(async () => {
  await processes.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The primary stays, however slowly this machine answers the others. */
async function neverElect(): Promise<void> {
  const primary = await set.primary();
  const { config } = await set.command(primary, { replSetGetConfig: 1 });
  const settings = { ...config.settings, electionTimeoutMillis: 600_000 };
  await set.command(primary, { replSetReconfig: { ...config, version: config.version + 1, settings } });
}

/** Without replication, what the primary writes has no majority and is lost if the primary dies. */
async function replicate(on: boolean): Promise<void> {
  const primary = await set.primary();
  const command = { configureFailPoint: 'stopReplProducer', mode: on ? 'off' : 'alwaysOn' };
  await Promise.all([0, 1, 2].filter((index) => index !== primary).map((index) => set.command(index, command)));
  if (on) return;
  // What the members had asked for before that still comes.
  const probe = { insert: 'probes', documents: [{}], writeConcern: { w: 'majority', wtimeout: 200 } };
  await eventually(() => expect(set.command(primary, probe)).rejects.toThrow('waiting for replication timed out'));
}

/** How many commands of the service wait at the primary: those of these tests are done, but for their majority. */
async function waiting(): Promise<number> {
  const { inprog } = await set.command(await set.primary(), { currentOp: true, active: true });
  const isOurs = ({ ns, command }: { ns?: string; command?: Record<string, unknown> }) =>
    ns === 'ticket.$cmd' || command?.['commitTransaction'] !== undefined;
  return inprog.filter(isOurs).length;
}

test('a move without a majority is neither confirmed to who repeats it, nor shown, nor published', async () => {
  const client = one.as();
  const ticket = await newTicket(client);
  const other = two.as(client.caller);
  await replicate(false);
  const answers: unknown[] = [];
  const answered = ({ status, data }: AxiosResponse) => void answers.push([status, data.status]);
  const moves = [client.put(`${ticket}/finish`).then(answered)];
  await eventually(async () => expect([answers, await waiting()]).toEqual([[], 1]));
  moves.push(other.put(`${ticket}/finish`).then(answered));
  await eventually(async () => expect([answers, await waiting()]).toEqual([[], 2]));
  expect((await other.get(ticket)).data.status).toBe('opened');
  const queries = createTicketQueries({ connection: two.connection, now: () => new Date() });
  const published = (await queries.snapshotsAfter(null)).found.find(({ id }) => id === idOf(ticket));
  expect(published).toMatchObject({ status: 'opened', version: 1 });
  await replicate(true);
  await Promise.all(moves);
  expect(answers).toEqual([
    [200, 'finished'],
    [200, 'finished'],
  ]);
});

test('an event whose document another process has just added is handled once a majority has that document', async () => {
  const client = one.as();
  const [ticket, _id] = [await newTicket(client), newId()];
  const document = {
    _id,
    ticket_id: idOf(ticket),
    company_id: client.caller.companyId,
    kind: 'purchase_order',
    visibility: 'internal',
    added_at: new Date(),
    file: { key: _id, name: 'order.pdf', type: 'application/pdf', size: 1 },
  };
  const relay = { watch: () => undefined, committed: () => undefined };
  const [first, second] = (await Promise.all(
    [database(), database()].map(async (opened) => (await opened).connection),
  )) as [typeof one.connection, typeof one.connection];
  const handled: number[] = [];
  await replicate(false);
  const add = (connection: typeof first, n: number) =>
    createDocumentStore({ connection, relay: relay as never })
      .addOnce(document as TicketDocument, () => [])
      .then(() => handled.push(n));
  const added = [add(first, 1)];
  await eventually(async () => expect(await waiting()).toBe(1));
  added.push(add(second, 2));
  await eventually(async () => expect([handled, await waiting()]).toEqual([[], 2]));
  await replicate(true);
  await Promise.all(added);
  expect(await first.collection('documents').countDocuments({ ticket_id: idOf(ticket) })).toBe(1);
  await Promise.all([first.close(), second.close()]);
});

test('an event that was sent is neither counted as waiting nor sent again while its removal has no majority', async () => {
  const event = { ...eventFixture(snapshotsRequested), id: newId() };
  const schema = new Schema<WithOutbox & { _id: string }>({ _id: String });
  addOutbox(schema);
  const model = one.connection.model('Thing', schema);
  await ensureIndexes(one.connection);
  await model.create({ _id: 'a', outbox: [event] });
  const received: string[] = [];
  const table = [on(snapshotsRequested, async ({ id }) => void received.push(id))];
  await one.broker.subscribe({ queue: 'probe', table });
  const relay = () => createRelay({ broker: one.broker, logger: testLogger(), sweepEveryMs: 30, sweptAfterMs: 0 });
  const [sender, sweeper] = [relay(), relay()];
  sweeper.watch(model);
  await replicate(false);
  sender.committed(model, 'a', [event]);
  await eventually(async () =>
    expect(await model.countDocuments({ 'outbox.0': { $exists: true } }, localRead)).toBe(0),
  );
  expect((await model.findById('a').lean())?.outbox).toHaveLength(1);
  sweeper.start();
  const counted = async () => (await metrics.getSingleMetric('outbox_unsent_documents')?.get())?.values;
  await eventually(async () => expect(await counted()).toMatchObject([{ labels: { model: 'Thing' }, value: 0 }]));
  await replicate(true);
  await Promise.all([sender.stop(), sweeper.stop()]);
  await eventually(() => expect(received).toEqual([event.id]));
});
