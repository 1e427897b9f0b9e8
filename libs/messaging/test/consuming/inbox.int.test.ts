import { connectMongo, ensureIndexes } from '@app/runtime';
import { eventually, TcpProxy, testDatabase, testInfra } from '@app/testing';
import { type ClientSession, type Connection, Schema } from 'mongoose';
import { createInbox, type Inbox } from '../../consuming/inbox.ts';
import { on } from '../../consuming/subscription.ts';
import { openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

type Note = { _id: string; text: string };

let connection: Connection;
let drop: () => Promise<void>;
let inbox: Inbox;
let rabbit: Rabbit;

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
  inbox = createInbox(connection);
  connection.model<Note>('Note', new Schema<Note>({ _id: String, text: String }, { collection: 'notes' }));
  await ensureIndexes(connection);
  rabbit = await openRabbit();
});
afterAll(async () => {
  await rabbit.end();
  await drop();
});

const notes = () => connection.collection<Note>('notes');
const recorded = (key: string) => connection.collection<{ _id: string }>('inbox').countDocuments({ _id: key });
const count = (text: string) => notes().countDocuments({ text });

let made = 0;
function write(text: string) {
  return async (session: ClientSession): Promise<void> => {
    made += 1;
    await notes().insertOne({ _id: `${text}-${made}`, text }, { session });
  };
}

test.each([
  [
    'one after the other',
    async () => {
      for (let time = 0; time < 2; time += 1) await inbox.once('one after the other', write('one after the other'));
    },
  ],
  ['at once', () => Promise.all(Array.from({ length: 10 }, () => inbox.once('at once', write('at once'))))],
])('work that is repeated %s is done once and recorded', async (key, repeat: () => Promise<unknown>) => {
  await repeat();
  expect([await count(key), await recorded(key)]).toEqual([1, 1]);
});

test('failed work leaves neither writes nor a record, and can be repeated', async () => {
  const failing = inbox.once('fails', async (session) => {
    await write('fails')(session);
    throw new Error('after the write');
  });
  await expect(failing).rejects.toThrow('after the write');
  expect([await count('fails'), await recorded('fails')]).toEqual([0, 0]);
  await inbox.once('fails', write('fails'));
  expect([await count('fails'), await recorded('fails')]).toEqual([1, 1]);
});

test('a duplicate key error of the work itself does not count as done before', async () => {
  await notes().insertOne({ _id: 'taken', text: 'taken' });
  const clashing = inbox.once('clash', async (session) => {
    await notes().insertOne({ _id: 'taken', text: 'again' }, { session });
  });
  await expect(clashing).rejects.toMatchObject({ code: 11000 });
  expect(await recorded('clash')).toBe(0);
});

test('records go after 30 days', async () => {
  const indexes = await connection.collection('inbox').indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { at: 1 }, expireAfterSeconds: 30 * 24 * 3600 }));
});

test('an event that is delivered twice is handled once by each consumer', async () => {
  const broker = await rabbit.broker();
  const table = (text: string) => [on(thingHappened, (_event, session) => write(text)(session as ClientSession))];
  await rabbit.subscribe(broker, { queue: 'one', table: table('by one'), inbox });
  await rabbit.subscribe(broker, { queue: 'two', table: table('by two'), inbox });
  const [event, last] = things(1, 2);
  for (let times = 0; times < 5; times++) await broker.publish([event, event] as never);
  await broker.publish([last] as never);
  await eventually(async () =>
    expect([await recorded(`one:${last?.id}`), await recorded(`two:${last?.id}`)]).toEqual([1, 1]),
  );
  // All that came before is handled once nothing is left or being handled.
  await broker.close();
  expect([await count('by one'), await count('by two')]).toEqual([2, 2]);
});

test('an outage of the database dead-letters no event, however long it takes', async () => {
  const proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&serverSelectionTimeoutMS=50`;
  // So short a selection may fail on a busy machine even though the server is there.
  const away = await eventually(() => connectMongo({ url, database: connection.name }));
  const broker = await rabbit.broker({ service: 'away' });
  let tried = 0;
  const doing = (work: () => Promise<unknown>) => [
    on(thingHappened, async () => {
      tried += 1;
      await work();
    }),
  ];
  const kept = away.collection<Note>('notes');
  const inBulk = doing(() =>
    kept.insertMany([
      { _id: 'bulk-1', text: 'in bulk' },
      { _id: 'bulk-2', text: 'in bulk' },
    ]),
  );
  // If the transaction cannot begin, the handler is not called.
  const inTransaction = [
    on(thingHappened, async (_event, session) => {
      await kept.insertOne({ _id: 'transaction-1', text: 'in a transaction' }, { session: session as ClientSession });
    }),
  ];
  const transactions = await rabbit.subscribe(
    broker,
    { queue: 'transaction', table: inTransaction, inbox: createInbox(away) },
    'away',
  );
  const bulks = await rabbit.subscribe(broker, { queue: 'bulk', table: inBulk }, 'away');
  proxy.refuse();
  await broker.publish(things(1));
  // More often than a message is tried whose handler fails.
  await eventually(() => expect(tried).toBeGreaterThan(6));
  for (const { dead } of [transactions, bulks]) expect(await rabbit.count(dead)).toBe(0);
  proxy.heal();
  await eventually(async () => expect([await count('in bulk'), await count('in a transaction')]).toEqual([2, 1]));
  for (const { dead } of [transactions, bulks]) expect(await rabbit.count(dead)).toBe(0);
  await broker.close();
  await away.close();
  await proxy.close();
});
