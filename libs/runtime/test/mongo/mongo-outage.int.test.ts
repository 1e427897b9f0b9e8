import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { eventually, TcpProxy, testDatabase, testInfra } from '@app/testing';
import { type Connection, type Model, Schema } from 'mongoose';
import { createBatchedInsert } from '../../mongo/batched-insert.ts';
import { connectMongo, isTransientMongoError } from '../../mongo/mongo.ts';

type Thing = { _id: string; n?: number };

let proxy: TcpProxy;
let connection: Connection;
let drop: () => Promise<void>;
let model: Model<Thing>;

beforeAll(async () => {
  const own = await testDatabase();
  drop = own.drop;
  proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const impatient = 'serverSelectionTimeoutMS=300&heartbeatFrequencyMS=500';
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&${impatient}`;
  // A busy machine may take longer, too.
  connection = await eventually(() => connectMongo({ url, database: own.connection.name }));
  model = connection.model<Thing>('Thing', new Schema<Thing>({ _id: String, n: Number }, { collection: 'things' }));
  await eventually(() => model.createCollection());
});
afterAll(async () => {
  await connection.close();
  await proxy.close();
  await drop();
});

const filter = { _id: 'a' } as never;
const update = { $set: { n: 1 } };
const documents = () => [{ _id: 'a' }, { _id: 'b' }] as never;
const things = () => model.collection;

/** Every way in which services call the driver. */
const operations: Record<string, () => Promise<unknown>> = {
  insertOne: () => things().insertOne({ _id: 'a' } as never),
  insertMany: () => things().insertMany(documents(), { ordered: false }),
  'inserts that come at once': () => {
    const insert = createBatchedInsert<Thing>(things());
    return Promise.all([insert({ _id: 'a' }), insert({ _id: 'b' })]);
  },
  updateOne: () => things().updateOne(filter, update, { upsert: true }),
  // The driver does not retry `updateMany` and `deleteMany`, and does not label their errors as
  // retryable.
  updateMany: () => things().updateMany(filter, update),
  deleteMany: () => things().deleteMany(filter),
  bulkWrite: () => things().bulkWrite([{ updateOne: { filter, update } }, { deleteOne: { filter } }]),
  'bulkWrite of many': () => things().bulkWrite([{ updateMany: { filter, update } }], { ordered: false }),
  findOne: () => things().findOne(filter),
  find: () => things().find(filter).toArray(),
  aggregate: () => things().aggregate([]).toArray(),
  count: () => things().countDocuments(filter),
  findOneAndUpdate: () => things().findOneAndUpdate(filter, update),
  'find of a model': () => model.find(filter).lean(),
  'exists of a model': () => model.exists(filter),
  'create of a model': () => model.create({ _id: 'c' }),
  'updateOne of a model': () => model.updateOne(filter, update),
  transaction: () => connection.transaction(async (session) => void (await things().insertOne(filter, { session }))),
  command: async () => connection.db?.command({ ping: 1 }),
};

async function failures(): Promise<[string, unknown][]> {
  const asked = Object.entries(operations).map(async ([name, operation]): Promise<[string, unknown]> => {
    const failure = operation().then(
      () => 'it was answered',
      (error: unknown) => error,
    );
    return [name, await failure];
  });
  return Promise.all(asked);
}

const notAnOutage = (found: [string, unknown][]) =>
  found.filter(([, error]) => !isTransientMongoError(error)).map(([name, error]) => `${name}: ${error}`);

test('a database that cannot be reached is an outage for every operation', async () => {
  proxy.refuse();
  try {
    // The first calls find out that the server is gone; the driver knows it when the second ones
    // begin.
    expect(notAnOutage(await failures())).toEqual([]);
    expect(notAnOutage(await failures())).toEqual([]);
  } finally {
    proxy.heal();
  }
});

test('a database that goes down during a query is an outage', async () => {
  proxy.freeze();
  try {
    const asked = failures();
    proxy.refuse();
    expect(notAnOutage(await asked)).toEqual([]);
  } finally {
    proxy.heal();
  }
});

test('a command that begins while its socket is being closed is not left waiting', async () => {
  const own = await testDatabase();
  const sockets = new Set<Socket>();
  const collect = (message: unknown) => sockets.add((message as { socket: Socket }).socket);
  subscribe('net.client.socket', collect);
  try {
    const connecting = connectMongo({ url: testInfra().mongodbUrl, database: own.connection.name });
    const late = (await connecting).collection<Thing>('things');
    await late.insertOne({ _id: 'a' });
    for (const socket of sockets) socket.destroy();
    // They say so in the next turn of the event loop.
    expect(await late.findOne({})).toEqual({ _id: 'a' });
    await late.conn.close();
  } finally {
    unsubscribe('net.client.socket', collect);
    await own.drop();
  }
});

test('a write that too few members of the replica set have is an outage: it may be rolled back', async () => {
  const own = await testDatabase();
  const two = { writeConcern: { w: 2, wtimeoutMS: 1 } };
  const collection = own.connection.collection('things');
  const writes = [
    collection.insertOne({ n: 1 }, two),
    collection.insertMany([{ n: 1 }, { n: 2 }], two),
    collection.bulkWrite([{ updateOne: { filter: { n: 1 }, update } }], two),
    collection.updateMany({}, update, two),
  ];
  const errors = await Promise.all(writes.map((write) => write.then(String, (error: unknown) => error)));
  await own.drop();
  expect(errors.map((error) => [isTransientMongoError(error), String(error)])).toEqual(
    errors.map((error) => [true, String(error)]),
  );
});

test('a query on a closed connection is an outage', async () => {
  const own = await testDatabase();
  await own.drop();
  const late = own.connection.collection('things');
  const errors = await Promise.all(
    [
      async () => late.insertMany([{ n: 1 }]),
      async () => late.findOne({}),
      async () => late.updateMany({}, update),
    ].map((ask) => ask().then(String, (error: unknown) => error)),
  );
  expect(errors.map((error) => [isTransientMongoError(error), String(error)])).toEqual(
    errors.map((error) => [true, String(error)]),
  );
});

test('an error that the database would repeat is no outage', async () => {
  const own = await testDatabase();
  const collection = own.connection.collection<Thing>('things');
  await collection.insertOne({ _id: 'a' });
  const refused = [
    collection.insertOne({ _id: 'a' }),
    collection.insertMany([{ _id: 'a' }, { _id: 'b' }], { ordered: false }),
    collection.updateOne({ _id: 'a' }, { $nonsense: 1 } as never),
    collection.find({ $nonsense: 1 } as never).toArray(),
  ];
  const errors = await Promise.all(refused.map((one) => one.then(String, (error: unknown) => error)));
  await own.drop();
  expect(errors.filter((error) => isTransientMongoError(error) || !(error instanceof Error))).toEqual([]);
});
