import { newId } from '@app/kernel';
import { eventually, testLogger } from '@app/testing';
import { mongo } from 'mongoose';
import { newExport } from '../../exports/export.ts';
import { createExportStore } from '../../exports/export-store.ts';
import { ExportWorker } from '../../exports/export-worker.ts';
import { usePlatform } from '../platform.ts';
import { otherServices } from './other-services.ts';

let other: ExportWorker;
const now = () => new Date();

afterAll(() => other.stop());
const platform = usePlatform({ exportTimes: { pollMs: 30 } });
beforeAll(() => platform.broker.subscribe({ queue: 'others', table: [otherServices(platform.broker, () => ({}))] }));

/** The export worker of another process. */
function anotherWorker(): ExportWorker {
  const { connection, broker, storage, app } = platform;
  const store = createExportStore({ connection, relay: app.relay });
  return new ExportWorker({
    store,
    storage,
    broker,
    logger: testLogger(),
    now,
    pollMs: 30,
    requestOf: async () => null,
  });
}

test('a process that slept over its lease leaves no archive beside that of the one that took over', async () => {
  const { companyId: id } = platform.as().caller;
  other = anotherWorker();
  const { put } = platform.storage;
  const isDone = async (exportId: string) => {
    const { data } = await platform.administer('get', `/admin/exports/${exportId}`);
    expect(data).toMatchObject({ state: 'done' });
    return data;
  };
  let late: string | undefined;
  const begun = Promise.withResolvers<string>();
  platform.storage.put = async (...given) => {
    platform.storage.put = put;
    const exportId = await begun.promise;
    await platform.connection
      .collection<{ _id: string }>('exports')
      .updateOne({ _id: exportId }, { $set: { lease: 'lost', dueAt: now() } });
    other.start();
    await eventually(() => isDone(exportId));
    const { signal: _, ...options } = given[1];
    late = options.under;
    return put(given[0], options);
  };
  const { data } = await platform.administer('post', `/admin/companies/${id}/exports`);
  begun.resolve(data.id);
  const { size } = await eventually(() => isDone(data.id));
  await eventually(() => expect(late).toEqual(expect.any(String)));
  await eventually(async () => {
    const kept = [];
    for await (const file of platform.storage.list({ olderThan: new Date(Date.now() + 60_000) })) kept.push(file);
    expect(kept).toMatchObject([{ size }]);
    expect(kept[0]?.key).not.toBe(late);
  });
});

test('a request that meets an export which ends at that moment begins another', async () => {
  const { companyId: id, companyName: name } = platform.as().caller;
  const records = platform.connection.collection<{ _id: string }>('exports');
  // One that runs, and that no worker has to claim.
  const company = { id, name, kind: 'client' };
  const running = { _id: newId(), owner: id, company, state: 'collecting', running: true };
  await records.insertOne(running);
  let met = 0;
  const { findOne } = mongo.Collection.prototype;
  const asked = jest.spyOn(mongo.Collection.prototype, 'findOne').mockImplementation(async function (
    this: mongo.Collection,
    filter: mongo.Filter<mongo.Document> = {},
    options: mongo.FindOptions = {},
  ) {
    if (filter['running']) {
      met += 1;
      await records.updateOne({ _id: running._id }, { $unset: { running: true } });
    }
    return findOne.call(this, filter, options);
  });
  const { status, data } = await platform
    .administer('post', `/admin/companies/${id}/exports`)
    .finally(() => asked.mockRestore());
  expect(met).toBe(1);
  expect([status, data.state]).toEqual([202, 'collecting']);
  expect(data.id).not.toBe(running._id);
});

test('an export that is refused makes room for the next one in the same write', async () => {
  const { connection, app } = platform;
  const { companyId: id, companyName: name } = platform.as().caller;
  const store = createExportStore({ connection, relay: app.relay });
  // Far in the future, so that no worker cleans up meanwhile.
  const at = new Date(now().getTime() + 3600_000);
  const list = { address: '/invoices/export', user_id: newId(), rights: { permissions: [] } };
  const begin = () =>
    store.begin(newExport({ id, name, kind: 'client' }, at, { service: 'invoice-reconciliation', list }), [], null);
  const { _id } = await begin();
  expect((await begin())._id).toBe(_id);
  const page = { export_id: _id, service: 'invoice-reconciliation', kind: 'list', after: null, next: null };
  await store.addPage({ ...page, count: 0, lines: '', files: [], refused: 'no' }, { at, askAgainAt: at });
  expect((await begin())._id).not.toBe(_id);
});

test('the files of an export are read in order, those of no other, and no cursor waits for a slow storage', async () => {
  const { connection, app } = platform;
  const store = createExportStore({ connection, relay: app.relay });
  const files = Array.from({ length: 47 }, (_, n) => ({ key: `k${n}`, path: `files/${String(n).padStart(2, '0')}/f` }));
  const documents = ['a', 'b', 'c'].flatMap((id) => files.map((file) => ({ _id: `${id}.${file.path}`, id, ...file })));
  await connection.collection<{ _id: string }>('export_files').insertMany(documents.reverse());

  const cursors = async () => {
    const stages = [
      { $currentOp: { idleCursors: true } },
      { $match: { type: 'idleCursor', ns: `${connection.name}.export_files` } },
    ];
    return await connection.getClient().db('admin').aggregate(stages, { readConcern: 'local' }).toArray();
  };
  const paths: string[] = [];
  for await (const { path } of store.files('b')) {
    expect(await cursors()).toEqual([]);
    paths.push(path);
  }
  expect(paths).toEqual(files.map(({ path }) => path));
});
