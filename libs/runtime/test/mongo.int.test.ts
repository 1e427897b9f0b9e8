import { eventually, TcpProxy, testDatabase, testInfra, testLogger } from '@app/testing';
import { type Connection, Schema } from 'mongoose';
import { connectMongo, ensureIndexes, findManyRaw, findOneRaw, isDuplicateKey, pingMongo } from '../mongo.ts';

let connection: Connection;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
});
afterAll(() => drop());

const personSchema = new Schema<{ _id: string; email: string; phone: string }>(
  { _id: String, email: String, phone: String },
  { collection: 'people' },
);
personSchema.index({ email: 1 }, { unique: true });
personSchema.index({ phone: 1 }, { unique: true, name: 'one_phone' });

async function refusal(write: Promise<unknown>): Promise<unknown> {
  return write.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('the collections and indexes of every model are there once they are ensured, and may be ensured again', async () => {
  const people = connection.model('Person', personSchema);
  await ensureIndexes(connection);
  await ensureIndexes(connection);
  const indexes = await people.collection.indexes();
  expect(indexes.map(({ name }) => name)).toEqual(['_id_', 'email_1', 'one_phone']);
});

test('a write refused by a unique index is known by that index', async () => {
  const people = connection.model<{ _id: string; email: string; phone: string }>('Person');
  await people.create({ _id: 'a', email: 'a@x', phone: '1' });
  const byEmail = await refusal(people.create({ _id: 'b', email: 'a@x', phone: '2' }));
  const byPhone = await refusal(people.create({ _id: 'c', email: 'c@x', phone: '1' }));
  const byId = await refusal(people.create({ _id: 'a', email: 'd@x', phone: '4' }));
  expect([byEmail, byPhone, byId].map((error) => isDuplicateKey(error))).toEqual([true, true, true]);
  expect([byEmail, byPhone, byId].map((error) => isDuplicateKey(error, 'one_phone'))).toEqual([false, true, false]);
  expect([byEmail, byPhone, byId].map((error) => isDuplicateKey(error, '_id_'))).toEqual([false, false, true]);
});

test.each([new Error('E11000 of somebody else'), { code: 11000 }, null, undefined])(
  '%j is no duplicate key',
  (error) => {
    expect(isDuplicateKey(error)).toBe(false);
  },
);

test('writes wait for a majority and the journal', () => {
  expect(connection.getClient().options.writeConcern).toMatchObject({ w: 'majority', j: true });
});

test('a database answers while it is there, and not once it is closed', async () => {
  const { connection: other, drop: dropOther } = await testDatabase();
  await expect(pingMongo(other)).resolves.toBeUndefined();
  await dropOther();
  await expect(pingMongo(other)).rejects.toThrow();
});

test('a database that says nothing any more is not waited for, and answers again when it is back', async () => {
  const proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const through = await connectMongo({ url, database: 'ping' });
  try {
    await pingMongo(through);
    proxy.freeze();
    await expect(pingMongo(through)).rejects.toThrow('MongoDB did not answer within 2000 ms');
    proxy.heal();
    await eventually(() => pingMongo(through));
  } finally {
    await through.close();
    await proxy.close();
  }
});

test('one document is read by its query, as projected, or is null; a broken connection does not show', async () => {
  const proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const through = await connectMongo({ url, database: connection.name });
  const { collection } = through.model(
    'Thing',
    new Schema({ _id: String, at: Date, more: String }, { collection: 'things' }),
  );
  try {
    const at = new Date();
    await collection.insertMany([
      { _id: 'a', at, more: 'x' },
      { _id: 'b', at },
    ] as never);
    await expect(findOneRaw(collection, { filter: { _id: 'a', at } })).resolves.toEqual({ _id: 'a', at, more: 'x' });
    await expect(findOneRaw(collection, { filter: { at }, projection: { _id: 1 }, hint: '_id_' })).resolves.toEqual({
      _id: 'a',
    });
    await expect(findOneRaw(collection, { filter: { _id: 'c' } })).resolves.toBeNull();
    await expect(findOneRaw(collection, { filter: { at }, hint: 'none' })).rejects.toThrow('hint');
    for (let broken = 0; broken < 5; broken++) {
      proxy.cut();
      await expect(findOneRaw(collection, { filter: { _id: 'b' } })).resolves.toEqual({ _id: 'b', at });
      proxy.cut();
      await expect(findManyRaw(collection, { filter: { _id: 'b' } })).resolves.toEqual([{ _id: 'b', at }]);
    }
  } finally {
    await through.close();
    await proxy.close();
  }
});

test('few documents are read by their query, and what no single answer holds all the same', async () => {
  const { collection } = connection.model('Few', new Schema({ _id: String }, { collection: 'few' }));
  const ids = Array.from({ length: 700 }, (_, n) => String(n).padStart(3, '0'));
  await collection.insertMany(ids.map((_id) => ({ _id, at: 1, more: 'x' })) as never);
  const read = async (filter: object) =>
    (await findManyRaw<{ _id: string }>(collection, { filter, projection: { _id: 1 }, hint: '_id_' })).map(
      ({ _id }) => _id,
    );
  for (const count of [0, 1, 102, 700]) {
    const wanted = ids.slice(0, count);
    expect(await read({ _id: { $in: wanted } })).toEqual(wanted);
  }
  expect(await findManyRaw(collection, { filter: { _id: '007' } })).toEqual([{ _id: '007', at: 1, more: 'x' }]);
  await expect(findManyRaw(collection, { filter: { at: 1 }, hint: 'none' })).rejects.toThrow('hint');
  const large = { more: 'x'.repeat(3_000_000) };
  await collection.updateMany({ _id: { $in: ids.slice(0, 8) } } as never, { $set: large });
  const before = await openCursors();
  const found = await findManyRaw<typeof large>(collection, { filter: { _id: { $in: ids.slice(0, 8) } } });
  expect(await openCursors()).toBe(before);
  expect(found.map(({ more }) => more.length)).toEqual(Array(8).fill(3_000_000));
});

/** Of this collection, whoever else uses the server. */
async function openCursors(): Promise<number> {
  const admin = connection.getClient().db('admin');
  const operations = admin.aggregate([{ $currentOp: { idleCursors: true } }]);
  const ns = `${connection.name}.few`;
  return (await operations.toArray()).filter((one) => one['ns'] === ns && one['type'] === 'idleCursor').length;
}

test('a connection that is lost is worth a warning, one that we end is not', async () => {
  const proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const logger = testLogger();
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const [lost, ended] = [
    await connectMongo({ url, database: 'lost', logger }),
    await connectMongo({ ...own(), logger }),
  ];
  await ended.close();
  expect(logger.lines).toEqual([]);
  await proxy.close();
  try {
    await eventually(() => expect(logger.lines.map(({ message }) => message)).toEqual(['MongoDB connection lost']));
  } finally {
    await lost.close();
  }
});

const own = () => ({ url: testInfra().mongodbUrl, database: 'ended' });
