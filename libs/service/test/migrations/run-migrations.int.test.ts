import { eventually, testDatabase, testLogger } from '@app/testing';
import type { Connection } from 'mongoose';
import { eachBatch } from '../../migrations/each-batch.ts';
import { LeaseLost } from '../../migrations/lease.ts';
import type { Migration } from '../../migrations/migration.ts';
import { pendingMigrations, runMigrations } from '../../migrations/run-migrations.ts';

let connection: Connection;
let drop: () => Promise<void>;
let logger: ReturnType<typeof testLogger>;
let ran: string[];
beforeEach(async () => {
  ({ connection, drop } = await testDatabase());
  logger = testLogger();
  ran = [];
});
afterEach(() => drop());

/** A runner as a process of its own would have: nothing is shared but the database. */
const run = (migrations: Migration[], times: { leaseMs?: number } = {}) =>
  runMigrations({ connection, migrations, logger, askEveryMs: 10, ...times });

const recording = (id: string): Migration => ({ id, up: async () => void ran.push(id) });

function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { opened, open };
}

test('they run in order, once; the next run does nothing', async () => {
  const list = [recording('0001-a'), recording('0002-b')];
  expect(await run(list)).toEqual(['0001-a', '0002-b']);
  expect(await run([...list, recording('0003-c')])).toEqual(['0003-c']);
  expect(await run([...list, recording('0003-c')])).toEqual([]);
  expect(ran).toEqual(['0001-a', '0002-b', '0003-c']);
});

test('of many runners at once each migration is run by one, and all of them go on when everything is done', async () => {
  let atOnce = 0;
  let most = 0;
  const slow = (id: string): Migration => ({
    id,
    async up({ connection: { db } }) {
      most = Math.max(most, ++atOnce);
      await db?.collection('things').insertOne({ id });
      ran.push(id);
      atOnce -= 1;
    },
  });
  const list = [slow('0001-a'), slow('0002-b'), slow('0003-c')];
  const all = await Promise.all(Array.from({ length: 5 }, () => run(list).then((mine) => ({ mine, seen: [...ran] }))));
  expect(ran).toEqual(['0001-a', '0002-b', '0003-c']);
  expect(all.flatMap(({ mine }) => mine).sort()).toEqual(ran);
  expect(all.map(({ seen }) => seen.length)).toEqual([3, 3, 3, 3, 3]);
  expect(most).toBe(1);
});

test('one that fails is named with its cause, and nothing after it runs; once it succeeds the rest follows', async () => {
  let isBroken = true;
  const breaks: Migration = {
    id: '0002-b',
    async up() {
      if (isBroken) throw new Error('ticket 42 has no company');
      ran.push('0002-b');
    },
  };
  const list = [recording('0001-a'), breaks, recording('0003-c')];
  await expect(run(list)).rejects.toThrow(/^migration 0002-b failed: ticket 42 has no company/);
  expect(ran).toEqual(['0001-a']);
  expect(await pendingMigrations(connection, list)).toEqual({ pending: ['0002-b', '0003-c'], unknown: [] });
  isBroken = false;
  // Not after the end of a lease: the one that failed gave it back.
  expect(await run(list, { leaseMs: 3_600_000 })).toEqual(['0002-b', '0003-c']);
});

test('what a newer version has run is a warning, no obstacle', async () => {
  await run([recording('0001-a'), recording('0002-b')]);
  expect(await run([recording('0001-a')])).toEqual([]);
  expect(logger.lines.find(({ level }) => level === 'warn')?.fields).toEqual({ migrations: ['0002-b'] });
});

describe('in batches', () => {
  type Thing = { _id: string; form?: 'new'; times?: number };
  const things = () => connection.getClient().db(connection.name).collection<Thing>('things');
  const name = (index: number) => `t${String(index).padStart(3, '0')}`;

  /** Counts how often each is changed, which no real migration could tell. */
  const converting = (onBatch: (batch: number) => void): Migration => {
    let batch = 0;
    return {
      id: '0001-convert',
      up: (context) =>
        eachBatch(context, { collection: things(), filter: {}, size: 10 }, async (ids) => {
          onBatch(++batch);
          await things().updateMany({ _id: { $in: ids } }, { $set: { form: 'new' }, $inc: { times: 1 } });
        }),
    };
  };

  beforeEach(async () => {
    await run([]);
    await things().insertMany(Array.from({ length: 95 }, (_, index) => ({ _id: name(index) })));
  });

  test('every document is converted, and after a crash it goes on where it was', async () => {
    const crash = converting((batch) => {
      if (batch === 4) throw new Error('killed');
    });
    await expect(run([crash])).rejects.toThrow('killed');
    expect(await things().countDocuments({ form: 'new' })).toBe(30);
    let batches = 0;
    await run([
      converting((batch) => {
        batches = batch;
      }),
    ]);
    expect(batches).toBe(7);
    expect(await things().countDocuments({ form: 'new', times: 1 })).toBe(95);
  });

  test('a runner that lost its lease stops, and records nothing', async () => {
    const lost = gate();
    const hold = converting(() => undefined);
    const held: Migration = {
      id: hold.id,
      async up(context) {
        await lost.opened;
        await eventually(() => expect(context.signal.aborted).toBe(true));
        await hold.up(context);
      },
    };
    const first = run([held], { leaseMs: 300 });
    const outcome = expect(first).rejects.toMatchObject({ cause: expect.any(LeaseLost) });
    await eventually(() => expect(leaseHolder()).resolves.toEqual(expect.any(String)));
    // As if the process had stood still until somebody else took over.
    await leases().updateOne(
      { _id: 'migrations' },
      { $set: { holder: 'another', until: new Date(Date.now() + 3_600_000) } },
    );
    lost.open();
    await outcome;
    expect(await things().countDocuments({ form: 'new' })).toBe(0);
    expect((await pendingMigrations(connection, [hold])).pending).toEqual(['0001-convert']);
  });
});

const leases = () =>
  connection.getClient().db(connection.name).collection<{ _id: string; holder?: string; until: Date }>('leases');
const leaseHolder = async () => (await leases().findOne({ _id: 'migrations' }))?.holder;

test('the lease of a runner that died is taken over when it ends, by the clock of the database', async () => {
  await run([]);
  await leases().insertOne({ _id: 'migrations', holder: 'dead', until: new Date(0) });
  const until = (time: unknown) => leases().updateOne({ _id: 'migrations' }, [{ $set: { until: time } }]);
  await until({ $add: ['$$NOW', 3_600_000] });
  const early = run([recording('0001-a')]);
  await eventually(() =>
    expect(logger.lines.map(({ message }) => message)).toContain('waiting for a lease that another process holds'),
  );
  expect(ran).toEqual([]);
  await until('$$NOW');
  expect(await early).toEqual(['0001-a']);
});

test('a lease is renewed for as long as its migration runs', async () => {
  const { opened, open } = gate();
  const long: Migration = { id: '0001-long', up: () => opened };
  // Long enough for a process that stands still meanwhile, as on a busy machine: it would rightly lose its lease.
  const first = run([long], { leaseMs: 9_000 });
  await eventually(() => expect(leaseHolder()).resolves.toEqual(expect.any(String)));
  const until = async () => (await leases().findOne({ _id: 'migrations' }))?.until.getTime() ?? 0;
  const begun = await until();
  const second = run([long]);
  await eventually(async () => expect(await until()).toBeGreaterThan(begun));
  await eventually(() =>
    expect(logger.lines.map(({ message }) => message)).toContain('waiting for a lease that another process holds'),
  );
  open();
  expect([await first, await second]).toEqual([['0001-long'], []]);
});
