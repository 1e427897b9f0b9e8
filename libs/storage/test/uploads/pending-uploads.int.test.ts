import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { openDatabaseClock } from '@app/runtime';
import { ensureIndexes, eventually, shiftClock, testDatabase, testLogger } from '@app/testing';
import express from 'express';
import { PendingUploads, type RecordedUpload, type Storage } from '../../index.ts';
import { openGridFs } from '../backends/backends.ts';
import { serve } from '../web.ts';

type Save = (upload: RecordedUpload) => Promise<void>;

let database: Awaited<ReturnType<typeof testDatabase>>;
let backend: Awaited<ReturnType<typeof openGridFs>>;
let web: Awaited<ReturnType<typeof serve>>;
let uploads: PendingUploads;
/** What the service does with an upload. */
let save: Save;
let storage: Storage;
let now: () => Date;

const never = () => new Promise<never>(() => undefined);

beforeAll(async () => {
  database = await testDatabase();
  backend = await openGridFs();
  // Whatever has been recorded so far is abandoned: the sweep is that of a process which starts after a crash.
  storage = { ...backend.storage };
  const times = { abandonedAfterMs: 0, sweepEveryMs: 20 };
  now = await openDatabaseClock(database.connection);
  uploads = new PendingUploads({ connection: database.connection, storage, logger: testLogger(), now, ...times });
  await ensureIndexes(database.connection);
  const app = express();
  app.post('/', async (req, res) => {
    const upload = await uploads.receive(req, res, { write: null });
    try {
      await save(upload);
      res.json({ key: upload.file?.key });
    } catch {
      await upload.discard();
      res.status(500).end();
    }
  });
  web = await serve(app);
});
beforeEach(() => {
  Object.assign(storage, backend.storage);
  save = (upload) => database.connection.transaction((session) => upload.keep(session)).then(() => undefined);
});
afterEach(async () => {
  await uploads.sweep();
  for await (const { key } of backend.storage.list({ olderThan: new Date(Date.now() + 1000) })) {
    await backend.storage.remove(key);
  }
});
afterAll(async () => {
  await web.stop();
  await backend.close();
  await database.drop();
});

const records = () => database.connection.collection('uploads').countDocuments();
async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of backend.storage.list({ olderThan: new Date(Date.now() + 1000) })) keys.push(key);
  return keys;
}
function send(signal?: AbortSignal): Promise<Response> {
  const form = new FormData();
  form.append('file', new Blob(['%PDF-1.4 hello']), 'a.pdf');
  return fetch(web.url, { method: 'POST', body: form, ...(signal ? { signal } : {}) });
}

test('a kept file stays, and no sweep removes it', async () => {
  const { key } = (await (await send()).json()) as { key: string };
  expect([await records(), await uploads.sweep(), await stored()]).toEqual([0, 0, [key]]);
});

test('a replica whose own clock is an hour ahead removes no upload that is under way', async () => {
  const logger = testLogger();
  const replica = new PendingUploads({ connection: database.connection, storage, logger, now });
  const keep = save;
  save = async (upload) => {
    const correct = shiftClock(() => 3_600_000);
    expect(await replica.sweep().finally(correct)).toBe(0);
    await keep(upload);
  };
  expect((await send()).status).toBe(200);
});

test('a save that fails removes the file', async () => {
  save = async () => {
    throw new Error('the save failed');
  };
  expect((await send()).status).toBe(500);
  expect([await records(), await stored(), await backend.traces()]).toEqual([0, [], 0]);
});

test('a save that was made although it seemed to fail keeps the file', async () => {
  const keep = save;
  save = async (upload) => {
    await keep(upload);
    throw new Error('the answer of the database was lost');
  };
  expect((await send()).status).toBe(500);
  expect([await records(), (await stored()).length]).toEqual([0, 1]);
});

type Part = Pick<Storage, 'put' | 'remove'>;
/** Called when the service began to store a file that it will never have stored. */
let putting: () => void;
const deaths: [string, () => Partial<Part>, Save | null][] = [
  [
    'before the first byte',
    () => ({
      put() {
        putting();
        return never();
      },
    }),
    null,
  ],
  [
    'in the middle of the file',
    () => ({
      async put(_content, options) {
        const half = new Readable({ read: () => undefined });
        half.push('%PDF-1.4 hel');
        putting();
        return backend.storage.put(half, options);
      },
    }),
    null,
  ],
  ['after the file was stored', () => ({}), never],
  [
    'within the transaction that keeps it',
    () => ({}),
    async (upload) => {
      const session = await database.connection.startSession();
      session.startTransaction();
      await upload.keep(session);
      await session.abortTransaction();
      await never();
    },
  ],
  [
    'while it was discarded',
    () => ({ remove: never }),
    async () => {
      throw new Error('refused');
    },
  ],
];

test.each(deaths)('a crash %s leaves nothing that the next process does not sweep up', async (_when, parts, dying) => {
  Object.assign(storage, parts());
  if (dying) save = dying;
  const gone = new AbortController();
  const begun = new Promise<void>((resolve) => {
    putting = resolve;
  });
  const answer = send(gone.signal).catch(() => undefined);
  if (dying) await eventually(async () => expect(await stored()).toHaveLength(1));
  else await begun;
  expect(await records()).toBe(1);
  Object.assign(storage, backend.storage);
  await eventually(async () => {
    await uploads.sweep();
    expect([await records(), await stored(), await backend.traces()]).toEqual([0, [], 0]);
  });
  gone.abort();
  await answer;
});

test('a file that the sweep removed can no longer be kept', async () => {
  const given: string[] = [];
  save = async (upload) => {
    await uploads.sweep();
    await database.connection
      .transaction((session) => upload.keep(session))
      .catch(({ code }: { code: string }) => given.push(code));
    throw new Error('refused');
  };
  await send();
  expect([given, await stored()]).toEqual([['service_timeout'], []]);
});

test('a file that cannot be removed does not stop the sweep of others', async () => {
  const keys = ['a', 'b'].map((letter) => letter.repeat(43));
  const at = new Date(0);
  await database.connection.collection('uploads').insertMany(keys.map((_id) => ({ _id, at })) as never);
  storage.remove = async (key) => {
    if (key === keys[0]) throw new Error('the storage refuses');
  };
  expect([await uploads.sweep(), await records()]).toEqual([1, 1]);
  Object.assign(storage, backend.storage);
  expect([await uploads.sweep(), await records()]).toEqual([1, 0]);
});

test('the sweep runs from the start on, until it is stopped', async () => {
  const stored = database.connection.collection<{ _id: string; at: Date }>('uploads');
  const leave = () => stored.insertOne({ _id: randomUUID(), at: new Date() });
  await leave();
  uploads.start();
  await eventually(async () => expect(await records()).toBe(0));
  await leave();
  await eventually(async () => expect(await records()).toBe(0));
  await uploads.stop();
  await leave();
  expect(await records()).toBe(1);
});

test('the sweep finds what is old by an index', async () => {
  const plan = await database.connection
    .collection('uploads')
    .find({ at: { $lte: new Date() } })
    .sort({ at: 1 })
    .explain('queryPlanner');
  expect(JSON.stringify(plan['queryPlanner'].winningPlan)).not.toContain('COLLSCAN');
});
