import { connectMongo } from '@app/runtime';
import { ensureIndexes, eventually, testDatabase, testInfra, testLogger } from '@app/testing';
import type { Connection } from 'mongoose';
import {
  createIdempotencyKeys,
  type KeyedRequest,
  type ProtectedWrite,
  type StoredAnswer,
  transactionOnce,
  writeOnce,
  writeOnceIn,
} from '../../idempotency/index.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase();
  keysOf(database.connection);
  await ensureIndexes(database.connection);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await things().deleteMany({});
  await records().deleteMany({});
});

const things = (connection: Connection = database.connection) => connection.collection('things');
const records = () => database.connection.collection<{ _id: string }>('idempotency_keys');
const keysOf = (connection: Connection, options: { leaseMs?: number } = {}) =>
  createIdempotencyKeys({ connection, logger: testLogger(), ...options });

const request: KeyedRequest = { key: 'key-1', owner: ['caller', 'a'], operation: 'POST /things', body: 'body-1' };

type Write = ProtectedWrite | null;

/** Inserts a thing, as the store of a service does; answers its name. */
async function insertThing(
  write: Write,
  name: string,
  connection: Connection = database.connection,
): Promise<StoredAnswer> {
  const inserted = await writeOnceIn(write, connection, async (within) => {
    await things(connection).insertOne({ name }, within);
    return { name, at: new Date(0) };
  });
  return { status: 201, body: JSON.stringify(inserted) };
}

/** The same by a store whose write is always a transaction. */
async function insertInTransaction(
  write: Write,
  name: string,
  connection: Connection = database.connection,
): Promise<StoredAnswer> {
  const inserted = await transactionOnce(write, connection, async (session) => {
    await things(connection).insertOne({ name }, { session });
    return { name, at: new Date(0) };
  });
  return { status: 201, body: JSON.stringify(inserted) };
}

const namesOf = async () => (await things().find().toArray()).map(({ name }) => name);
const codeOf = (running: Promise<unknown>) =>
  running.then(
    () => 'answered',
    ({ code, message }) => code ?? message,
  );
const answered = (name: string) => JSON.stringify({ name, at: new Date(0) });

test('the same request again gets the same answer, also without a body, and nothing is done', async () => {
  const keys = keysOf(database.connection);
  const empty = { ...request, key: 'key-2' };
  for (const [name, replayed] of [
    ['first', false],
    ['second', true],
  ] as const) {
    expect(await keys.run(request, (write) => insertThing(write, name))).toEqual({
      status: 201,
      body: answered('first'),
      replayed,
    });
    expect(await keys.run(empty, async () => ({ status: 204, body: null }))).toEqual({
      status: 204,
      body: null,
      replayed,
    });
  }
  expect(await namesOf()).toEqual(['first']);
});

test.each([
  ['another body that its handler reads', { body: async () => 'body-2' }, 'idempotency_key_reused'],
  ['the same body, that its handler reads', { body: async () => 'body-1' }, 'answered'],
  ['another key', { key: 'key-2' }, 'answered'],
])('an answered key with %s', async (_what, other, expected) => {
  const keys = keysOf(database.connection);
  await keys.run(request, (write) => insertThing(write, 'first'));
  expect(await codeOf(keys.run({ ...request, ...other }, (write) => insertThing(write, 'second')))).toBe(expected);
});

/** A request that is under way, and inserts its thing once `end` was called. */
async function underWay(keys: ReturnType<typeof keysOf>) {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const first = keys.run(request, async (write) => {
    begin();
    await mayEnd;
    return insertThing(write, 'first');
  });
  await begun;
  return { first, end };
}

test('while the first request is in progress, others with its key are refused', async () => {
  const keys = keysOf(database.connection);
  const { first, end } = await underWay(keys);
  expect(await codeOf(keys.run(request, (write) => insertThing(write, 'second')))).toBe('idempotency_key_in_progress');
  expect(await codeOf(keys.run({ ...request, body: 'body-2' }, (write) => insertThing(write, 'second')))).toBe(
    'idempotency_key_reused',
  );
  end();
  expect(await first).toMatchObject({ status: 201, replayed: false });
  expect(await namesOf()).toEqual(['first']);
});

test('of many that come at once one is carried out', async () => {
  const keys = keysOf(database.connection);
  const all = Array.from({ length: 20 }, (_, index) =>
    codeOf(keys.run(request, (write) => insertThing(write, `${index}`))),
  );
  const outcomes = new Set(await Promise.all(all));
  expect([...outcomes].filter((code) => !['answered', 'idempotency_key_in_progress'].includes(code))).toEqual([]);
  expect(outcomes).toContain('answered');
  expect(await namesOf()).toHaveLength(1);
});

test('a request that failed before it wrote leaves its key free, also for another body', async () => {
  const keys = keysOf(database.connection);
  expect(await codeOf(keys.run(request, () => Promise.reject(new Error('refused'))))).toBe('refused');
  const second = await keys.run({ ...request, body: 'body-2' }, (write) => insertThing(write, 'second'));
  expect(second).toEqual({ status: 201, body: answered('second'), replayed: false });
});

test('a request that failed after it wrote is taken up at once where it stopped, by the same request alone', async () => {
  const keys = keysOf(database.connection);
  const failing = keys.run(request, async (write) => {
    await insertThing(write, 'first');
    throw new Error('not pushed');
  });
  expect(await codeOf(failing)).toBe('not pushed');
  const other = { ...request, body: 'body-2' };
  expect(await codeOf(keys.run(other, (write) => insertThing(write, 'other')))).toBe('idempotency_key_reused');
  const second = await keys.run(request, (write) => insertThing(write, 'second'));
  expect(second).toEqual({ status: 201, body: answered('first'), replayed: false });
  expect(await namesOf()).toEqual(['first']);
});

/** Runs a request in a process that dies where `handle` calls its argument. */
async function dieIn(
  handle: (write: Write, connection: Connection, die: () => Promise<never>) => Promise<StoredAnswer>,
) {
  const connection = await connectMongo({ url: testInfra().mongodbUrl, database: database.connection.name });
  const { promise: dead, resolve } = Promise.withResolvers<void>();
  const die = () => {
    resolve();
    return new Promise<never>(() => undefined);
  };
  void keysOf(connection, { leaseMs: 300 }).run(request, (write) => handle(write, connection, die));
  await dead;
  // It does nothing to the database any more, so it renews no claim.
  await connection.close();
}

const retry = (insert = insertThing) =>
  eventually(() => keysOf(database.connection, { leaseMs: 300 }).run(request, (write) => insert(write, 'second')));

test.each([
  ['writeOnceIn', insertThing],
  ['transactionOnce', insertInTransaction],
])(
  '%s: killed between its write and its answer, a retry makes no second thing and gets the answer',
  async (_, insert) => {
    await dieIn(async (write, connection, die) => {
      await insert(write, 'first', connection);
      return die();
    });
    expect(await retry(insert)).toEqual({ status: 201, body: answered('first'), replayed: false });
    expect(await namesOf()).toEqual(['first']);
    expect(await retry(insert)).toEqual({ status: 201, body: answered('first'), replayed: true });
  },
);

test('killed before its write is committed: a retry is carried out', async () => {
  await dieIn((write, connection, die) =>
    writeOnceIn(write, connection, async (within) => {
      await things(connection).insertOne({ name: 'first' }, within);
      return die();
    }),
  );
  expect(await retry()).toEqual({ status: 201, body: answered('second'), replayed: false });
  expect(await namesOf()).toEqual(['second']);
});

test('a process that slept until another one took its request over does not write', async () => {
  // It does not renew its claim meanwhile.
  const keys = keysOf(database.connection, { leaseMs: 600_000 });
  const { first: sleeper, end: wake } = await underWay(keys);
  // As the database sees it once the process has not renewed its claim for long enough.
  await records().updateOne({}, { $set: { 'lease.until': new Date(0) } });
  expect(await keys.run(request, (write) => insertThing(write, 'second'))).toMatchObject({ body: answered('second') });
  wake();
  expect(await codeOf(sleeper)).toBe('idempotency_key_in_progress');
  expect(await namesOf()).toEqual(['second']);
  expect(await keys.run(request, (write) => insertThing(write, 'third'))).toMatchObject({ body: answered('second') });
});

test('a living process renews its claim', async () => {
  // Long enough for a process that stands still meanwhile, as on a busy machine.
  const keys = keysOf(database.connection, { leaseMs: 6_000 });
  const { first, end } = await underWay(keys);
  const until = async () => (await records().findOne<{ lease: { until: Date } }>({}))?.lease.until.getTime() ?? 0;
  const before = await until();
  await eventually(async () => expect(await until()).toBeGreaterThan(before));
  expect(await codeOf(keys.run(request, (write) => insertThing(write, 'second')))).toBe('idempotency_key_in_progress');
  end();
  await first;
});

test('an answer is forgotten after 24 hours, by an index and to the second', async () => {
  const indexes = await records().indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  const keys = keysOf(database.connection);
  await keys.run(request, (write) => insertThing(write, 'first'));
  const record = await records().findOne<{ expires_at: Date }>({});
  const lives = (record?.expires_at.getTime() ?? 0) - Date.now();
  expect([lives > 23.9 * 3_600_000, lives < 24.1 * 3_600_000]).toEqual([true, true]);
  // Before the index has removed it.
  await records().updateOne({}, { $set: { expires_at: new Date(Date.now() - 1_000) } });
  const other = { ...request, operation: 'POST /others' };
  expect(await keys.run(other, (write) => insertThing(write, 'second'))).toMatchObject({ replayed: false });
});

test('neither key nor answer can be read in the database', async () => {
  const keys = keysOf(database.connection);
  const secret = 'whsec_secret';
  const seen: unknown[] = [];
  await keys.run(request, async (write) => {
    await insertThing(write, secret);
    seen.push(await records().find().toArray());
    return { status: 201, body: JSON.stringify({ secret }) };
  });
  seen.push(await records().find().toArray());
  expect(seen).toEqual([
    [expect.objectContaining({ written: expect.any(String) })],
    [expect.objectContaining({ answer: expect.any(Object) })],
  ]);
  const text = JSON.stringify(seen);
  expect([text.includes(secret), text.includes(request.key)]).toEqual([false, false]);
});

test('the protected write of a request is done once; what is not protected is repeated', async () => {
  const keys = keysOf(database.connection);
  const handle = async (write: Write, fail: boolean) => {
    await insertThing(write, 'one');
    await insertThing(null, 'another');
    if (fail) throw new Error('failed');
    return { status: 200, body: null };
  };
  expect(await codeOf(keys.run(request, (write) => handle(write, true)))).toBe('failed');
  await keys.run(request, (write) => handle(write, false));
  expect(await namesOf()).toEqual(['one', 'another', 'another']);
});

test('a protected write that is used twice fails, and writes once', async () => {
  const twice = keysOf(database.connection).run(request, async (write) => {
    await insertThing(write, 'one');
    return insertThing(write, 'another');
  });
  expect(await codeOf(twice)).toContain('used its protected write twice');
  expect(await namesOf()).toEqual(['one']);
});

test('a protected write that failed may be tried again in the same request', async () => {
  const running = keysOf(database.connection).run(request, async (write) => {
    const refused = () => Promise.reject(new Error('the slot is taken'));
    expect(await codeOf(writeOnceIn(write, database.connection, refused))).toBe('the slot is taken');
    return insertThing(write, 'one');
  });
  expect(await running).toMatchObject({ body: answered('one') });
});

test('a protected write that begins once its request was answered is refused, and writes nothing', async () => {
  const { promise: mayRun, resolve: run } = Promise.withResolvers<void>();
  let later: Promise<unknown> = Promise.resolve();
  await keysOf(database.connection).run(request, async (write) => {
    later = mayRun.then(() => insertThing(write, 'later'));
    return { status: 202, body: null };
  });
  run();
  expect(await codeOf(later)).toBe('idempotency_key_in_progress');
  expect(await namesOf()).toEqual([]);
});

test('a request that finds by itself what it made gets nothing to protect a write with', async () => {
  const keys = keysOf(database.connection);
  const repeatable = { ...request, repeatable: true };
  const given: Write[] = [];
  for (const _ of [1, 2]) {
    await keys.run(repeatable, async (write) => {
      given.push(write);
      return { status: 200, body: null };
    });
  }
  expect(given).toEqual([null, null]);
});

test('without an Idempotency-Key a write has no transaction, unless it needs one', async () => {
  expect(await writeOnce(null, async (saveResult) => saveResult)).toBeNull();
  expect(await writeOnceIn(null, database.connection, async (within) => within)).toEqual({});
  expect(await transactionOnce(null, database.connection, async (session) => session.inTransaction())).toBe(true);
});
