import { testDatabase } from '@app/testing';
import type { mongo } from 'mongoose';
import { markEmptyDatabase, refuseUnreleased, UnreleasedData } from '../../migrations/first-release.ts';

let database: mongo.Db;
let drop: () => Promise<void>;
beforeEach(async () => {
  const made = await testDatabase();
  drop = made.drop;
  database = made.connection.getClient().db(made.connection.name);
});
afterEach(() => drop());

const add = () => database.collection('tickets').insertOne({});

test('an empty database is marked once, and passes from then on, whatever it has', async () => {
  await refuseUnreleased(database);
  expect(await database.listCollections().toArray()).toEqual([]);
  await markEmptyDatabase(database);
  await add();
  await markEmptyDatabase(database);
  await refuseUnreleased(database);
  expect(await database.collection('migrations').countDocuments()).toBe(1);
});

test('one with data and without the mark is refused in a sentence that says what to do, and not marked', async () => {
  await add();
  for (const check of [markEmptyDatabase, refuseUnreleased, markEmptyDatabase]) {
    await expect(check(database)).rejects.toThrow(UnreleasedData);
    await expect(check(database)).rejects.toThrow('Start afresh: `npm start -- --fresh`, or an empty database.');
  }
});

test('one that has run migrations, but was not marked, is refused too', async () => {
  await database.collection('migrations').insertOne({ _id: '0001-a' as never, finishedAt: new Date() });
  await expect(markEmptyDatabase(database)).rejects.toThrow(UnreleasedData);
});

test('what starts at once on an empty database passes, though the others make collections meanwhile', async () => {
  const starts = Array.from({ length: 20 }, async () => {
    await markEmptyDatabase(database);
    await add();
  });
  await Promise.all(starts);
  expect(await database.collection('tickets').countDocuments()).toBe(20);
});

test('one that another process is just marking passes: its collection is listed before a majority has the mark', async () => {
  await database.createCollection('migrations');
  await refuseUnreleased(database);
  await markEmptyDatabase(database);
  await add();
  await markEmptyDatabase(database);
});

test('a server that profiles an empty database makes it no other', async () => {
  await database.setProfilingLevel('all');
  await database.collection('tickets').findOne();
  await database.setProfilingLevel('off');
  await markEmptyDatabase(database);
});
