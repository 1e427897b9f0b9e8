import { testDatabase } from '@app/testing';
import type { Connection } from 'mongoose';
import { createBatchedInsert } from '../../mongo/batched-insert.ts';
import { isDuplicateKey } from '../../mongo/mongo.ts';

let connection: Connection;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
});
afterAll(() => drop());

test('of documents inserted together only those that a unique index refuses fail, and name that index', async () => {
  const collection = connection.collection('things');
  await collection.createIndex({ name: 1 }, { unique: true, name: 'name' });
  const insert = createBatchedInsert<{ _id: number; name: string }>(collection);
  await insert({ _id: 1, name: 'a' });
  const outcomes = await Promise.allSettled([
    ...[2, 3, 4].map((_id) => insert({ _id, name: `n${_id}` })),
    insert({ _id: 5, name: 'a' }),
    insert({ _id: 1, name: 'z' }),
    insert({ _id: 6, name: 'f' }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  const errors = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : null));
  expect([isDuplicateKey(errors[3], 'name'), isDuplicateKey(errors[3], '_id_')]).toEqual([true, false]);
  expect([isDuplicateKey(errors[4], 'name'), isDuplicateKey(errors[4], '_id_')]).toEqual([false, true]);
  expect(await collection.distinct('_id')).toEqual([1, 2, 3, 4, 6]);
});

test('a document that the driver cannot send fails none of the others', async () => {
  const collection = connection.collection('sent');
  const insert = createBatchedInsert<{ _id: number; within?: object }>(collection);
  const endless: { within?: object } = {};
  endless.within = endless;
  const inserted = [{ _id: 1 }, { _id: 2 }, { _id: 3, within: endless }, { _id: 4 }].map((one) => insert(one));
  const outcomes = await Promise.allSettled(inserted);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await collection.distinct('_id')).toEqual([1, 2, 4]);
});
