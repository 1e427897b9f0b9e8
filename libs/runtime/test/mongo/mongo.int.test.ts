import { ensureIndexes, eventually, TcpProxy, testDatabase, testInfra, testLogger } from '@app/testing';
import { type Connection, Schema } from 'mongoose';
import { metrics } from '../../metrics.ts';
import { connectMongo, isDuplicateKey, pingMongo } from '../../mongo/mongo.ts';

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

test('the connections of the pool are counted: those that are open, and in use while a command runs', async () => {
  const counted = async (state: string) => {
    const gauge = await metrics.getSingleMetric('mongodb_pool_connections')?.get();
    return gauge?.values.find(({ labels }) => labels['state'] === state)?.value ?? 0;
  };
  const before = await counted('open');
  const own = await connectMongo({ url: testInfra().mongodbUrl, database: connection.name });
  const slow = own.collection('slow');
  await slow.insertOne({});
  const inUse = await counted('in_use');
  expect(await counted('open')).toBeGreaterThan(before);
  const during = Promise.withResolvers<number>();
  own.getClient().once('connectionCheckedOut', () => during.resolve(counted('in_use')));
  await slow.findOne({});
  expect(await during.promise).toBe(inUse + 1);
  await own.close();
  expect([await counted('open'), await counted('in_use'), await counted('waiting')]).toEqual([before, inUse, 0]);
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

test('writes wait for a majority and the journal, and reads see what a majority has', () => {
  const { writeConcern, readConcern } = connection.getClient().options;
  expect([writeConcern, readConcern]).toMatchObject([{ w: 'majority', j: true }, { level: 'majority' }]);
});

test('a ping succeeds while the database is up, and fails once the connection is closed', async () => {
  const { connection: other, drop: dropOther } = await testDatabase();
  await eventually(() => pingMongo(other));
  await dropOther();
  await expect(pingMongo(other)).rejects.toThrow();
});

test('a database that stops responding is not waited for, and is used again when it is back', async () => {
  const proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const through = await connectMongo({ url, database: 'ping' });
  try {
    await eventually(() => pingMongo(through));
    proxy.freeze();
    await expect(pingMongo(through)).rejects.toThrow('MongoDB did not answer within 2000 ms');
    proxy.heal();
    await eventually(() => pingMongo(through));
  } finally {
    await through.close();
    await proxy.close();
  }
});

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
