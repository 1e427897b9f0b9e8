import { inSpan, startTracing } from '@app/runtime/tracing';
import { eventually, startTraceCollector, type TraceCollector, testDatabase } from '@app/testing';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../mongo/mongo.ts';

let collector: TraceCollector;
let connection: Connection;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  collector = await startTraceCollector();
  ends.push(() => collector.close());
  const tracing = { service: 'probe', version: '1', endpoint: collector.url, sampledShare: 1 };
  ends.push(await startTracing({ ...tracing, onLost: () => undefined }));
  // Connected after tracing has started, as in a service.
  const { connection: given, drop } = await testDatabase();
  ends.push(drop);
  connection = await connectMongo({ url: process.env['MONGODB_URL'] ?? '', database: given.name });
  ends.push(() => connection.close());
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const commands = () => collector.spans().filter(({ attributes }) => attributes['db.system.name'] === 'mongodb');

test('a command within a span is a span of its own, without what it says', async () => {
  const things = connection.collection<{ _id: string; note: string }>('things');
  await inSpan({ name: 'handle' }, async () => {
    await things.insertOne({ _id: 'a', note: 'Ada Martin wrote this' });
    await things.findOne({ _id: 'a' });
  });
  await eventually(() => expect(commands().map(({ name }) => name)).toEqual(['insert things', 'find things']));
  const handle = collector.spans().find(({ name }) => name === 'handle');
  for (const span of commands()) {
    expect(span).toMatchObject({ kind: 'client', parentSpanId: handle?.spanId, failed: false });
    expect(span.attributes).toMatchObject({
      'db.namespace': connection.name,
      'db.collection.name': 'things',
      'server.address': expect.any(String),
      'server.port': expect.any(Number),
    });
  }
  expect(JSON.stringify(collector.spans())).not.toContain('Ada');
});

test('a command that the server refuses fails its span with the code of the server', async () => {
  await inSpan({ name: 'refused' }, async () => {
    await connection.db?.command({ collMod: 'nothing of that name' }).catch(() => undefined);
  });
  await eventually(() =>
    expect(commands().find(({ name }) => name.startsWith('collMod'))).toMatchObject({
      failed: true,
      attributes: { 'error.type': '26' },
    }),
  );
});

test('what no span asks for, such as a loop that looks for work, is not traced', async () => {
  await connection.collection('idle').findOne({});
  await inSpan({ name: 'afterwards' }, async () => void (await connection.collection('afterwards').findOne({})));
  await eventually(() => expect(commands().some(({ name }) => name === 'find afterwards')).toBe(true));
  expect(commands().some(({ name }) => name === 'find idle')).toBe(false);
});
