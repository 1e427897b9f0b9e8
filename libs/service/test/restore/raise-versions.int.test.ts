import { testDatabase } from '@app/testing';
import type { Connection } from 'mongoose';
import { newestCreation } from '../../restore/newest-creation.ts';
import { raiseVersions } from '../../restore/raise-versions.ts';

type Thing = { _id: string; version?: number; line_version?: number; name?: string };

let connection: Connection;
let drop: () => Promise<void>;
beforeEach(async () => {
  ({ connection, drop } = await testDatabase());
});
afterEach(() => drop());

const things = () => connection.collection<Thing>('things');
const versions = async () => (await things().find().sort({ _id: 1 }).toArray()).map(({ version }) => version);
const epoch = Date.UTC(2026, 10, 23);

test('versions of restored things become the time of the restore, whatever they were', async () => {
  await things().insertMany([{ _id: 'a', version: 1 }, { _id: 'b', version: 4_711 }, { _id: 'c' }]);
  expect(await raiseVersions(things(), { epoch })).toBe(3);
  expect(await versions()).toEqual([epoch, epoch, epoch]);
  await things().updateOne({ _id: 'a' }, { $inc: { version: 1 } });
  expect((await things().findOne({ _id: 'a', version: epoch + 1 }))?.version).toBe(epoch + 1);
});

test('restored again from the same backup, they are above those of the first restore and what followed it', async () => {
  const backup = [{ _id: 'a', version: 7 }];
  await things().insertMany(backup);
  await raiseVersions(things(), { epoch });
  await things().updateOne({ _id: 'a' }, { $inc: { version: 1_000 } });
  const [told] = await versions();
  await things().deleteMany({});
  await things().insertMany(backup);
  await raiseVersions(things(), { epoch: epoch + 60_000 });
  expect((await versions())[0]).toBeGreaterThan(told as number);
});

test('they rise although the clock has gone back, and each of several fields by itself', async () => {
  await things().insertMany([{ _id: 'a', version: epoch + 5, line_version: 0 }]);
  await raiseVersions(things(), { epoch, fields: ['version', 'line_version'] });
  expect(await things().findOne()).toMatchObject({ version: epoch + 6, line_version: epoch });
});

test('what the filter leaves out stays as it is', async () => {
  await things().insertMany([
    { _id: 'a', version: 1, name: 'x' },
    { _id: 'b', version: 1 },
  ]);
  expect(await raiseVersions(things(), { epoch, filter: { name: 'x' } })).toBe(1);
  expect(await versions()).toEqual([epoch, 1]);
});

test('the age of a database follows from the newest id in any of its collections', async () => {
  await things().insertMany([{ _id: '65f0c1e4a8d2b4c3f9a71001' }, { _id: 'zzzz' }]);
  await connection.collection<Thing>('others').insertOne({ _id: '67f0c1e4a8d2b4c3f9a71001' });
  await connection.collection<Thing>('lost_things').insertOne({ _id: '68f0c1e4a8d2b4c3f9a71001' });
  expect(await newestCreation(connection)).toEqual(new Date(0x67f0c1e4 * 1_000));
});

test('an empty database is refused: it was not restored', async () => {
  await connection.collection<Thing>('migrations').insertOne({ _id: '0001-first' });
  await connection.createCollection('things');
  await expect(newestCreation(connection)).rejects.toThrow(/is empty: restore it first/);
});
