import { connectMongo } from '@app/runtime';
import { eventually, TcpProxy, testDatabase, testInfra } from '@app/testing';
import type { Connection } from 'mongoose';
import { on } from '../../consuming/subscription.ts';
import { openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

type Note = { _id: string; text: string };

let connection: Connection;
let drop: () => Promise<void>;
let rabbit: Rabbit;

beforeAll(async () => {
  ({ connection, drop } = await testDatabase());
  rabbit = await openRabbit();
});
afterAll(async () => {
  await rabbit.end();
  await drop();
});

const count = (text: string) => connection.collection<Note>('notes').countDocuments({ text });

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
  const inTransaction = doing(() =>
    away.transaction((session) => kept.insertOne({ _id: 'transaction-1', text: 'in a transaction' }, { session })),
  );
  const transactions = await rabbit.subscribe(broker, { queue: 'transaction', table: inTransaction }, 'away');
  const bulks = await rabbit.subscribe(broker, { queue: 'bulk', table: inBulk }, 'away');
  proxy.refuse();
  await broker.publish(things(1));
  // More often than the messages are tried whose handlers fail.
  await eventually(() => expect(tried).toBeGreaterThan(12));
  for (const { dead } of [transactions, bulks]) expect(await rabbit.count(dead)).toBe(0);
  proxy.heal();
  await eventually(async () => expect([await count('in bulk'), await count('in a transaction')]).toEqual([2, 1]));
  for (const { dead } of [transactions, bulks]) expect(await rabbit.count(dead)).toBe(0);
  await broker.close();
  await away.close();
  await proxy.close();
});
