import { AppError } from '@app/kernel';
import { currentContext } from '@app/runtime';
import { eventually } from '@app/testing';
import type { Broker } from '../../broker.ts';
import { Consumer } from '../../consuming/consumer.ts';
import { on } from '../../consuming/subscription.ts';
import { openRabbit, type Rabbit, thingHappened, things } from '../rabbit.ts';

let rabbit: Rabbit;
let broker: Broker;
beforeAll(async () => {
  rabbit = await openRabbit();
  broker = await rabbit.broker();
});
afterAll(() => rabbit.end());

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

/** A consumer, what it has begun and ended, and a batch as versions before this one published it. */
async function consumer(queue: string, { prefetch = 16, bad }: { prefetch?: number; bad?: number } = {}) {
  const [begun, ended]: [number[], number[]] = [[], []];
  const table = [
    on(thingHappened, async ({ data: { n } }) => {
      begun.push(n);
      await new Promise((resolve) => setImmediate(resolve));
      if (n === bad) throw new Error('never');
      ended.push(n);
    }),
  ];
  const queues = await rabbit.subscribe(broker, { queue, table, prefetch });
  const channel = await rabbit.channel();
  const properties = { messageId: 'of-all', contentType: 'application/cloudevents-batch+json', persistent: true };
  const batch = (events: unknown[]) => void channel.sendToQueue(queues.main, bytes(events), properties);
  return { ...queues, begun, ended, batch };
}

test('a batch that a version before this one published is handled, each event as a message of its own', async () => {
  const { begun, ended, main, retry, dead, batch } = await consumer('together', { bad: 2 });
  const events = currentContext.run({ requestId: 'request-8' }, () => things(1, 2, 3));
  batch(events);
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1));
  expect([ended, begun.filter((n) => n === 2)]).toEqual([
    [1, 3],
    [2, 2, 2, 2, 2],
  ]);
  for (const name of [main, retry]) expect(await rabbit.count(name)).toBe(0);
  const [message] = await rabbit.getAll(dead);
  expect(JSON.parse(String(message?.content))).toEqual(events[1]);
  expect(message?.properties).toMatchObject({ messageId: events[1]?.id, contentType: 'application/cloudevents+json' });
  expect(message?.properties.headers).toMatchObject({ 'x-request-id': 'request-8' });
});

test('a queue with prefetch 1 handles the events of a batch in their order', async () => {
  const { begun, ended, batch } = await consumer('in-order', { prefetch: 1 });
  batch(things(1, 2, 3));
  await eventually(() => expect(ended).toEqual([1, 2, 3]));
  expect(begun).toEqual([1, 2, 3]);
});

test('an invalid event of a batch delays none of the others', async () => {
  const { ended, main, batch } = await consumer('mixed');
  batch([null, ...things(4), { id: 5 }, ...things(6)]);
  await eventually(async () => expect([ended, await rabbit.count(main)]).toEqual([[4, 6], 0]));
});

/** A consumer that is given a batch by a broker that takes nothing back but what `refuse` lets through. */
async function takesBack(refuse: (attempt: number) => Error | null) {
  const channel = await rabbit.channel();
  const { queue: main } = await channel.assertQueue('', { exclusive: true });
  const errors: Error[] = [];
  channel.on('error', (error) => errors.push(error));
  const sent: [string, number][] = [];
  let attempts = 0;
  const own = new Consumer({
    options: { queue: 'own', table: [on(thingHappened, async () => undefined)] },
    queue: { main, retry: 'later', unknown: 'not yet', dead: 'never' },
    async send(to, { content }) {
      attempts += 1;
      const refusal = refuse(attempts);
      if (refusal) throw refusal;
      sent.push([to, JSON.parse(String(content)).data.n]);
    },
    logger: rabbit.logger,
  });
  channel.sendToQueue(main, bytes(things(1, 2)));
  await (await own.prepare(channel))();
  return { own, errors, sent, waiting: () => rabbit.count(main), main };
}

test('the events of a batch are sent again until the broker accepts them, each once', async () => {
  const { own, errors, sent, waiting, main } = await takesBack((attempt) =>
    attempt === 1 ? new AppError('unavailable', 'away', 'blocked') : null,
  );
  await eventually(() =>
    expect(sent).toEqual([
      [main, 2],
      [main, 1],
    ]),
  );
  await own.stop();
  expect([errors, await waiting()]).toEqual([[], 0]);
});

test('a message that can neither be handled nor requeued is released with its channel', async () => {
  const { errors, sent } = await takesBack(() => new TypeError('cannot be written'));
  await eventually(() => expect(errors).toEqual([new TypeError('cannot be written')]));
  expect(sent).toEqual([]);
});
