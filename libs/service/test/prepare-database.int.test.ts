import { isTransientMongoError } from '@app/runtime';
import { runMigrations } from '@app/service/migrations';
import { eventually, testDatabase, testLogger } from '@app/testing';
import { type Connection, Schema } from 'mongoose';
import { prepareDatabase } from '../prepare-database.ts';

let connection: Connection;
let drop: () => Promise<void>;
let logger: ReturnType<typeof testLogger>;
let waitedFor: string[];
beforeEach(async () => {
  ({ connection, drop } = await testDatabase());
  logger = testLogger();
  waitedFor = [];
  const schema = new Schema({ email: String, age: Number }, { collection: 'people' });
  schema.index({ age: 1 }, { name: 'age' });
  schema.index({ email: 1 }, { name: 'email', unique: true });
  connection.model('Person', schema);
});
afterEach(() => drop());

/** As if a release had made the database. */
const begin = () => runMigrations({ connection, migrations: [], logger });
const people = () => connection.collection('people');
const indexNames = async () => (await people().indexes()).map(({ name }) => name);
const prepare = () =>
  prepareDatabase({ connection, migrations: [], logger, onWait: (what) => void waitedFor.push(what) });

test('the build of an index of a large collection does not hold up the start; a unique index is there before', async () => {
  await begin();
  await people().insertMany(Array.from({ length: 10_000 }, (_, age) => ({ age, email: `${age}@x` })));
  await people().createIndex({ email: 1 }, { name: 'email', unique: true });
  const writer = await connection.startSession();
  writer.startTransaction();
  // The build waits for transactions that write to the collection: it is as slow as this one.
  await people().insertOne({ age: -1 }, { session: writer });
  const { background } = await prepare();
  expect(waitedFor.at(-1)).toBe('it starts');
  let isBuilt = false;
  void background.then(() => {
    isBuilt = true;
  });
  await eventually(async () => expect(await buildsUnderWay()).toBe(1));
  expect(isBuilt).toBe(false);
  await writer.abortTransaction();
  await writer.endSession();
  await background;
  expect(await indexNames()).toContain('age');
});

async function buildsUnderWay(): Promise<number> {
  const admin = connection.getClient().db('admin');
  const stages = [
    { $currentOp: {} },
    { $match: { ns: `${connection.name}.people`, 'command.createIndexes': { $exists: true } } },
  ];
  return (await admin.aggregate(stages, { readConcern: 'local' }).toArray()).length;
}

test('a unique index that cannot be built stops the start, which names it', async () => {
  await begin();
  await people().insertMany([{ email: 'a@x' }, { email: 'a@x' }]);
  await expect(prepare()).rejects.toThrow('the index people.email cannot be built');
});

test('a query that names an index which is still missing fails as an outage: it is worth a retry', async () => {
  await people().insertOne({ age: 1 });
  const missed = await people()
    .find({ age: 1 })
    .hint('age')
    .toArray()
    .catch((error: unknown) => error);
  expect(isTransientMongoError(missed)).toBe(true);
});

test('migrations and, with little data, every index are done before the service serves; `/readyz` can name them', async () => {
  const seen: string[] = [];
  const migrations = [{ id: '0001-a', up: async () => void seen.push(...waitedFor) }];
  await prepareDatabase({ connection, migrations, logger, onWait: (what) => void waitedFor.push(what) });
  expect(seen.at(-1)).toBe('migrating: 0001-a');
  expect(await indexNames()).toEqual(['_id_', 'age', 'email']);
});

test('a service does not serve data of before the first release, and leaves it as it is', async () => {
  await people().insertOne({ email: 'a@x', age: 1 });
  const sentence = /made by a version before 1\.0\.0, which was never released, .*`npm start -- --fresh`/;
  for (let start = 0; start < 2; start++) await expect(prepare()).rejects.toThrow(sentence);
  expect(await indexNames()).toEqual(['_id_']);
  expect(await people().countDocuments()).toBe(1);
});
