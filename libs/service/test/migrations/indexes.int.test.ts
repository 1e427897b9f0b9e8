import { testDatabase } from '@app/testing';
import { type Connection, Schema } from 'mongoose';
import {
  buildIndexes,
  createCollections,
  dropIndex,
  isUrgent,
  missingIndexes,
  undeclaredIndexes,
} from '../../migrations/indexes.ts';

let connection: Connection;
let drop: () => Promise<void>;
beforeEach(async () => {
  ({ connection, drop } = await testDatabase());
  const schema = new Schema({ email: String, age: Number }, { collection: 'people' });
  schema.index({ email: 1 }, { unique: true, name: 'email' });
  schema.index({ age: 1, email: -1 }, { partialFilterExpression: { age: { $gt: 0 } } });
  connection.model('Person', schema);
});
afterEach(() => drop());

const people = () => connection.collection('people');
const indexNames = async () => (await people().indexes()).map(({ name }) => name);

test('indexes that are not there are missing, also without their collection; built, none is', async () => {
  expect((await missingIndexes(connection)).map(({ name }) => name)).toEqual(['email', 'age_1_email_-1']);
  await createCollections(connection);
  await createCollections(connection);
  await buildIndexes(connection);
  await buildIndexes(connection);
  expect(await missingIndexes(connection)).toEqual([]);
  const built = (await people().indexes()).map(({ v: _, ...index }) => index);
  expect(built).toEqual([
    { key: { _id: 1 }, name: '_id_' },
    { key: { email: 1 }, name: 'email', unique: true },
    { key: { age: 1, email: -1 }, name: 'age_1_email_-1', partialFilterExpression: { age: { $gt: 0 } } },
  ]);
});

test('a unique index is urgent, another one only in a small collection', async () => {
  const urgent = async () =>
    Promise.all((await missingIndexes(connection)).map((index) => isUrgent(connection, index)));
  await createCollections(connection);
  expect(await urgent()).toEqual([true, true]);
  await people().insertMany(Array.from({ length: 10_000 }, (_, index) => ({ email: `${index}@x` })));
  expect(await urgent()).toEqual([true, false]);
});

test('an index that cannot be built is named: for its data, or since another one has its name', async () => {
  await people().insertMany([{ email: 'a@x' }, { email: 'a@x' }]);
  await expect(buildIndexes(connection)).rejects.toThrow(/^the index people\.email cannot be built: .*dup key/);
  await people().deleteMany({});
  await people().createIndex({ other: 1 }, { name: 'email' });
  await expect(buildIndexes(connection)).rejects.toThrow(/^the index people\.email cannot be built: /);
});

test('an index that no model declares is dropped only if it is named, and a declared one never', async () => {
  await createCollections(connection);
  await people().createIndex({ former: 1 }, { name: 'former' });
  await people().createIndex({ operators: 1 }, { name: 'operators' });
  await buildIndexes(connection);
  expect(await undeclaredIndexes(connection)).toEqual(['people.former', 'people.operators']);
  await dropIndex(connection, 'people.former');
  expect(await indexNames()).toEqual(expect.not.arrayContaining(['former']));
  for (const name of ['people.email', 'people._id_', 'people.former', 'others.x'])
    await expect(dropIndex(connection, name)).rejects.toThrow(`the index ${name} is not dropped`);
  expect(await indexNames()).toEqual(['_id_', 'operators', 'email', 'age_1_email_-1']);
});
