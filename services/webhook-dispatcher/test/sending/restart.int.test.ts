import type { ServerResponse } from 'node:http';
import {
  answer,
  behaviours,
  eventually,
  type Receiver,
  shiftClock,
  startReceiver,
  TcpProxy,
  testInfra,
} from '@app/testing';
import { type Dispatcher, startDispatcher, statusChanged } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

/** The process that follows another one, on its database and queues. */
async function withNext(before: Dispatcher, settings: object, work: (next: Dispatcher) => Promise<void>) {
  const next = await startDispatcher(settings, before.namespace);
  try {
    await work(next);
  } finally {
    await next.drop();
    await next.stop();
  }
}

/** As if the time had come at which they are due. */
const makeDue = ({ connection }: Dispatcher, endpointId: string) =>
  connection.collection('deliveries').updateMany({ endpointId }, { $set: { dueAt: new Date() } });

test('a retry that waits survives a restart', async () => {
  receiver.behave(answer(500), '/retry');
  const dispatcher = await startDispatcher({ retryDelaysMs: [hourMs] });
  const { company, id, publish, logged } = await subscriberOf({ dispatcher, receiver }, '/retry');
  await publish();
  await logged([{ status: 'failed' }]);
  await dispatcher.stop();
  receiver.behave(behaviours.ok, '/retry');
  await withNext(dispatcher, {}, async (next) => {
    await makeDue(next, id);
    const attempts = [{ statusCode: 500 }, { statusCode: 200 }];
    await eventually(async () =>
      expect(await next.deliveries(company, id)).toMatchObject([{ status: 'succeeded', attempts }]),
    );
  });
});

test('an interrupted delivery is repeated under the same id, once its lease is over', async () => {
  const hung: ServerResponse[] = [];
  receiver.behave((_req, res) => void hung.push(res), '/interrupted');
  const dispatcher = await startDispatcher({ timeoutMs: hourMs });
  const { company, id, publish, at, logged } = await subscriberOf({ dispatcher, receiver }, '/interrupted');
  await publish(4);
  // Attempts that take long are stored before they end.
  await logged(Array(4).fill({ status: 'pending', attempts: [] }));
  await eventually(() => expect(hung).toHaveLength(4));
  const interrupted = at().map(({ headers }) => headers['x-service-delivery']);
  await dispatcher.connection.close(true);
  // Nothing that ends from here on is recorded.
  for (const res of hung) res.destroy();
  await dispatcher.crash();
  receiver.behave(behaviours.ok, '/interrupted');
  await withNext(dispatcher, {}, async (next) => {
    const leases = await next.connection.collection('deliveries').distinct('dueAt', { endpointId: id });
    for (const end of leases) expect(end.getTime()).toBeGreaterThan(Date.now() + hourMs);
    await makeDue(next, id);
    await eventually(async () => {
      const items = await next.deliveries(company, id);
      expect(items.map(({ status }) => status)).toEqual(Array(4).fill('succeeded'));
      expect(items.map((item) => item.id).sort()).toEqual(interrupted.sort());
    });
  });
});

test('if an event that is delivered twice is sent twice, the log has both attempts', async () => {
  const dispatcher = await startDispatcher();
  const { company, id, logged, at } = await subscriberOf({ dispatcher, receiver }, '/twice');
  const event = statusChanged([company.companyId]);
  await dispatcher.publish(event);
  await logged([{ status: 'succeeded' }]);
  await dispatcher.stop();
  // A new process knows nothing of what the first one did.
  await withNext(dispatcher, {}, async (next) => {
    await next.publish(event);
    const attempts = [{ statusCode: 200 }, { statusCode: 200 }];
    await eventually(async () =>
      expect(await next.deliveries(company, id)).toMatchObject([{ status: 'succeeded', attempts }]),
    );
  });
  expect(at()).toHaveLength(2);
});

test('a message that is redelivered because its acknowledgement was lost is not sent again', async () => {
  const { amqpUrl } = testInfra();
  const proxy = await TcpProxy.start(amqpUrl);
  process.env['AMQP_URL'] = proxy.url(amqpUrl);
  const dispatcher = await startDispatcher().finally(() => {
    process.env['AMQP_URL'] = amqpUrl;
  });
  const { company, publish, logged, at } = await subscriberOf({ dispatcher, receiver }, '/again');
  receiver.behave((...given) => {
    proxy.freeze();
    behaviours.ok(...given);
  }, '/again');
  // The broker's confirmation may be lost, too.
  void publish().catch(() => undefined);
  await logged([{ status: 'succeeded' }]);
  proxy.refuse();
  receiver.behave(behaviours.ok, '/again');
  // Stopping ends what was started.
  await withNext(dispatcher, {}, async (next) => {
    await next.publish(statusChanged([company.companyId], 'Next'));
    await eventually(() => expect(at().filter(({ body }) => body.includes('Next'))).toHaveLength(1));
  });
  expect(at()).toHaveLength(2);
  await dispatcher.crash();
  await proxy.close();
});

test.each([
  ['ahead', dayMs],
  ['behind', -dayMs],
])(
  'what a replica a day %s sends and leaves behind is sent and due as if its clock were right',
  async (path, offset) => {
    receiver.behave(answer(500), `/${path}`);
    const dispatcher = await startDispatcher({ retryDelaysMs: [hourMs] });
    // Before the clock is shifted: tokens are checked by the clock of the process.
    const { company, id, publish, at } = await subscriberOf({ dispatcher, receiver }, `/${path}`);
    const putRight = shiftClock(() => offset);
    await publish();
    const stored = () => dispatcher.connection.collection('deliveries').findOne({ endpointId: id });
    await eventually(async () => expect(await stored()).toMatchObject({ status: 'failed' }));
    await dispatcher.stop();
    putRight();

    const isAboutNow = (ms: number) => Math.abs(Date.now() - ms) < dayMs / 2;
    const [sent] = at();
    const signedAt = Number(/t=(\d+)/.exec(String(sent?.headers['x-service-signature']))?.[1]) * 1_000;
    expect(isAboutNow(signedAt)).toBe(true);
    receiver.behave(behaviours.ok, `/${path}`);
    await withNext(dispatcher, {}, async (right) => {
      const left = await right.connection.collection('deliveries').findOne({ endpointId: id });
      expect(isAboutNow(left?.['dueAt'].getTime())).toBe(true);
      await makeDue(right, id);
      await eventually(async () => {
        const [delivery] = await right.deliveries(company, id);
        expect(delivery?.status).toBe('succeeded');
        expect(delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 200]);
        expect(delivery?.attempts.every((attempt) => isAboutNow(Date.parse(attempt.at)))).toBe(true);
      });
    });
  },
);
