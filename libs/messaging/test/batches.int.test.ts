import { AppError } from '@app/kernel';
import { currentContext } from '@app/runtime';
import { eventually } from '@app/testing';
import type { Broker } from '../broker.ts';
import { createConsumer } from '../consumer.ts';
import { on } from '../subscription.ts';
import { type CutRabbit, gate, openCutRabbit, thingHappened, things } from './rabbit.ts';

let { rabbit, proxy, broker, steady, end } = {} as CutRabbit;
beforeAll(async () => {
  ({ rabbit, proxy, broker, steady, end } = await openCutRabbit());
});
beforeEach(() => {
  rabbit.logger.lines.length = 0;
});
afterEach(() => eventually(() => broker.ready()));
afterAll(() => end());

const said = () => rabbit.logger.lines.map(({ message }) => message);

type Handle = (n: number, attempt: number) => Promise<unknown>;
type Consuming = { queue: string; prefetch?: number; service?: string; by?: Broker };

/** A consumer, by the way that is cut, and what it has begun and ended. */
async function consumer({ by = broker, service, ...options }: Consuming, handle: Handle = async () => undefined) {
  const [begun, ended]: [number[], number[]] = [[], []];
  const again: (boolean | undefined)[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }, _session, message) => {
      begun.push(n);
      again.push(message?.again);
      await handle(n, begun.filter((one) => one === n).length);
      ended.push(n);
    }),
  ];
  const queues = await rabbit.subscribe(by, { ...options, table }, service);
  const nothingLeft = () =>
    eventually(async () => {
      for (const name of Object.values(queues)) expect([name, await rabbit.count(name)]).toEqual([name, 0]);
    });
  return { ...queues, begun, ended, again, nothingLeft };
}

const never = async (n: number, bad: number) => {
  if (n === bad) throw new Error('never');
};

test('of events that came as one message the one that fails comes back alone, and the others are done', async () => {
  const { begun, main, retry, dead } = await consumer({ queue: 'together' }, (n) => never(n, 2));
  const events = currentContext.run({ requestId: 'request-8', traceparent: '00-8-8-01' }, () => things(1, 2, 3));
  await broker.publish(events);
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1));
  expect(begun).toEqual([1, 2, 3, 2, 2, 2, 2]);
  for (const name of [main, retry]) expect(await rabbit.count(name)).toBe(0);
  const [message] = await rabbit.take(dead);
  expect(JSON.parse(String(message?.content))).toEqual(events[1]);
  expect(message?.properties).toMatchObject({ messageId: events[1]?.id, contentType: 'application/cloudevents+json' });
  expect(message?.properties.headers).toMatchObject({ 'x-request-id': 'request-8', traceparent: '00-8-8-01' });
});

test.each<[string, (good: object) => unknown]>([
  ['nothing', () => null],
  ['data that break the schema', (good) => ({ ...good, data: {} })],
  ['a number for an id', (good) => ({ ...good, id: 5 })],
  ['an id longer than the broker takes', (good) => ({ ...good, id: 'x'.repeat(300) })],
  ['an object for a type', (good) => ({ ...good, type: {} })],
  ['a trace that no header holds', (good) => ({ ...good, traceparent: { '!': 'none' }, data: {} })],
])('one of them that is no event is put aside alone: %s', async (fault, badOf) => {
  const { ended, main, dead } = await consumer({ queue: `mixed-${fault.length}`, prefetch: 1 }, (n) => never(n, 5));
  const [good, other] = things(4, 5);
  const bad = badOf(other as object);
  const channel = await rabbit.channel();
  channel.sendToQueue(main, Buffer.from(JSON.stringify([bad, good])), { messageId: 'of-both' });
  await eventually(async () => expect([ended, await rabbit.count(dead)]).toEqual([[4], 1]));
  const [message] = await rabbit.take(dead);
  expect(JSON.parse(String(message?.content))).toEqual(bad);
  // That of the message is another event's.
  expect(message?.properties.messageId).not.toBe('of-both');
});

test('what takes one message at a time handles its events in their order, one after the other', async () => {
  const seen: string[] = [];
  await consumer({ queue: 'one-by-one', prefetch: 1 }, async (n) => {
    seen.push(`begins ${n}`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`ends ${n}`);
  });
  await broker.publish(things(1, 2, 3));
  await eventually(() => expect(seen).toEqual([1, 2, 3].flatMap((n) => [`begins ${n}`, `ends ${n}`])));
});

test('no more are handled at once than asked for, however many messages bring them', async () => {
  const held = gate();
  const { begun, ended, main } = await consumer({ queue: 'few', prefetch: 2 }, () => held.opened);
  await broker.publish(things(1, 2, 3));
  await broker.publish(things(4, 5, 6));
  await broker.publish(things(7));
  // Two messages are in hand, and the third waits at the broker.
  await eventually(async () => expect(await rabbit.count(main)).toBe(1));
  expect(begun).toHaveLength(2);
  held.open();
  await eventually(() => expect(ended).toHaveLength(7));
});

test('a message is done when all its events are: where its connection breaks before, all come again, in their order', async () => {
  const held = gate();
  const { begun, ended, again, nothingLeft } = await consumer({ queue: 'broken', prefetch: 1 }, async (n, attempt) => {
    if (n === 2 && attempt === 1) await held.opened;
  });
  await steady.publish(things(1, 2, 3));
  await steady.publish(things(4));
  await eventually(() => expect(begun).toEqual([1, 2]));
  proxy.cut();
  await eventually(() => expect(said()).toContain('broker connected'));
  // Still one at a time: what was begun before the connection broke ends first.
  expect(begun).toEqual([1, 2]);
  held.open();
  await eventually(() => expect(ended).toHaveLength(6));
  // What of the broken connection's message had not begun is not begun for it.
  expect(ended).toEqual([1, 2, 1, 2, 3, 4]);
  expect(again).toEqual([false, false, true, true, true, false]);
  await nothingLeft();
});

test('events that end their process each time are put aside alone, and those that came with them are handled', async () => {
  const lost = () => said().filter((line) => line === 'broker connection lost').length;
  const { begun, ended, again, main, dead } = await consumer({ queue: 'fatal', prefetch: 1 }, async (n) => {
    if (n !== 2) return;
    const before = lost();
    proxy.cut();
    await eventually(() => expect(lost()).toBeGreaterThan(before));
    throw new Error('the process that handled it is no more');
  });
  await steady.publish(things(1, 2, 3));
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1), 30_000);
  const [message] = await rabbit.take(dead);
  expect(JSON.parse(String(message?.content)).data).toEqual({ n: 2 });
  expect(begun.filter((n) => n === 2)).toHaveLength(2 + 11);
  await eventually(() => expect(new Set(ended)).toEqual(new Set([1, 3])));
  // The first two were begun when nothing had gone wrong yet.
  expect(again.indexOf(true)).toBe(2);
  expect(again.lastIndexOf(false)).toBe(1);
  expect(said().filter((line) => line.includes('taken apart'))).toHaveLength(1);
  await eventually(async () => expect(await rabbit.count(main)).toBe(0));
});

test('close begins no more of them, waits for those begun, and leaves their message to the broker', async () => {
  const closing = await rabbit.broker({ service: 'closing' });
  const held = [gate(), gate()];
  const { begun, ended, main } = await consumer(
    { queue: 'closing', prefetch: 2, service: 'closing', by: closing },
    (n) => held[n]?.opened as Promise<void>,
  );
  await steady.publish(things(0, 1, 2, 3));
  await eventually(() => expect(begun).toEqual([0, 1]));
  const closed = closing.close().then(() => [...ended]);
  held[0]?.open();
  await eventually(() => expect(ended).toEqual([0]));
  await steady.publish(things(4));
  held[1]?.open();
  expect(await closed).toEqual([0, 1]);
  expect(begun).toEqual([0, 1]);
  await eventually(async () => expect(await rabbit.count(main)).toBe(2));
});

/** A consumer that is given a batch for the third time, by a broker that takes nothing back but what `refuse` lets through. */
async function thirdTime(refuse: (attempt: number) => Error | null) {
  const channel = await rabbit.channel();
  const { queue: main } = await channel.assertQueue('', { exclusive: true });
  const errors: Error[] = [];
  channel.on('error', (error) => errors.push(error));
  const sent: [string, number][] = [];
  let attempts = 0;
  const own = createConsumer({
    options: { queue: 'own', table: [on(thingHappened, async () => undefined)] },
    queue: { main, retry: 'later', dead: 'never' },
    async send(to, { content }) {
      attempts += 1;
      const refusal = refuse(attempts);
      if (refusal) throw refusal;
      sent.push([to, JSON.parse(String(content)).data.n]);
    },
    logger: rabbit.logger,
  });
  channel.sendToQueue(main, Buffer.from(JSON.stringify(things(1, 2))), { headers: { 'x-delivery-count': 2 } });
  await own.start(channel);
  return { own, errors, sent, waiting: () => rabbit.count(main) };
}

test('what is taken apart is offered again to a broker that does not take it, and each part is taken once', async () => {
  const { own, errors, sent, waiting } = await thirdTime((attempt) =>
    attempt === 1 ? new AppError('unavailable', 'away', 'blocked') : null,
  );
  // Later, when the message that they were taken from is acknowledged.
  await eventually(() =>
    expect(sent).toEqual([
      ['later', 2],
      ['later', 1],
    ]),
  );
  await own.stop();
  expect([errors, await waiting()]).toEqual([[], 0]);
});

test('a message that can neither be handled nor put back does not stay with its channel', async () => {
  const { errors, sent } = await thirdTime(() => new TypeError('cannot be written'));
  await eventually(() => expect(errors).toEqual([new TypeError('cannot be written')]));
  expect(sent).toEqual([]);
});
