import { connectMongo } from '@app/runtime';
import { TcpProxy, testDatabase, testInfra, testLogger, verifyTestToken } from '@app/testing';
import { createApp } from '../../create-app.ts';
import { route } from '../../routing/route.ts';
import { listen } from '../../server.ts';

test('while the database is down every request is answered with a retryable error', async () => {
  const own = await testDatabase();
  const proxy = await TcpProxy.start(testInfra().mongodbUrl);
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&serverSelectionTimeoutMS=300`;
  const connection = await connectMongo({ url, database: own.connection.name });
  const things = connection.collection('things');
  const { insertOne } = { insertOne: { document: { n: 1 } } };
  const asked: Record<string, () => Promise<unknown>> = {
    '/insert': () => things.insertMany([{ n: 1 }, { n: 2 }], { ordered: false }),
    '/bulk': () => things.bulkWrite([{ insertOne }, { updateMany: { filter: {}, update: { $set: { n: 2 } } } }]),
    '/find': () => things.findOne({}),
    '/transaction': () => connection.transaction(async (session) => void (await things.insertOne({}, { session }))),
  };
  const routes = Object.entries(asked).map(([path, ask]) =>
    route({
      ...{ host: 'ts', method: 'get', path, summary: 'x', tag: 'x', access: 'public', reply: { status: 200 } },
      handle: async () => (await ask()) && {},
    }),
  );
  const app = createApp({ service: 'probe', routes, logger: testLogger(), verifyToken: verifyTestToken });
  const { port, close } = await listen(app, { host: '127.0.0.1', port: 0 });
  proxy.refuse();
  const answers = Object.keys(asked).map(async (path) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [path, answer.status, ((await answer.json()) as { code: string }).code];
  });
  const found = await Promise.all(answers);
  await close();
  await connection.close();
  await proxy.close();
  await own.drop();
  expect(found).toEqual(Object.keys(asked).map((path) => [path, 502, 'service_unavailable']));
});
