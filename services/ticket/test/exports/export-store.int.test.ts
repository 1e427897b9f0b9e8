import { createRelay } from '@app/messaging';
import { testDatabase, testLogger } from '@app/testing';
import { createExportStore } from '../../exports/export-store.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('the files of an export are read in order, those of no other, and no cursor waits for a slow storage', async () => {
  const { connection } = database;
  const relay = createRelay({ broker: { publish: () => new Promise(() => undefined) }, logger: testLogger() });
  const store = createExportStore({ connection, relay });
  const files = Array.from({ length: 47 }, (_, n) => ({ key: `k${n}`, path: `files/${String(n).padStart(2, '0')}/f` }));
  const documents = ['a', 'b', 'c'].flatMap((id) => files.map((file) => ({ _id: `${id}.${file.path}`, id, ...file })));
  await connection.collection<{ _id: string }>('export_files').insertMany(documents.reverse());

  const cursors = async () => {
    const stages = [{ $currentOp: { idleCursors: true } }, { $match: { ns: `${connection.name}.export_files` } }];
    return await connection.getClient().db('admin').aggregate(stages).toArray();
  };
  const paths: string[] = [];
  for await (const { path } of store.files('b')) {
    expect(await cursors()).toEqual([]);
    paths.push(path);
  }
  expect(paths).toEqual(files.map(({ path }) => path));
});
