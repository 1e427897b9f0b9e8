import { eventually } from '@app/testing';
import type { Broker } from '../../broker.ts';
import { on } from '../../consuming/subscription.ts';
import { type CutRabbit, openCutRabbit, thingHappened, things } from '../rabbit.ts';

let { rabbit, proxy, broker, steady, end } = {} as CutRabbit;
beforeAll(async () => {
  ({ rabbit, proxy, broker, steady, end } = await openCutRabbit());
});
afterAll(() => end());

const lost = () => rabbit.logger.lines.filter(({ message }) => message === 'broker connection lost').length;

/**
 * Simulates a process that dies with the message: all unacknowledged messages return to the broker.
 */
async function die(): Promise<never> {
  const before = lost();
  proxy.cut();
  await eventually(() => expect(lost()).toBeGreaterThan(before));
  throw new Error('the process that handled it is no more');
}

type Handle = (n: number) => Promise<unknown>;

async function consumer(by: Broker, queue: string, handle: Handle) {
  const [begun, ended]: [number[], number[]] = [[], []];
  const again: (boolean | undefined)[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }, _session, message) => {
      begun.push(n);
      again.push(message?.redelivered);
      await handle(n);
      ended.push(n);
    }),
  ];
  return { ...(await rabbit.subscribe(by, { queue, table })), begun, ended, again };
}

const numbersOf = async (queue: string) =>
  (await rabbit.getAll(queue)).map(({ content }) => JSON.parse(String(content)).data.n as number);

test('a message that kills its process each time is dead-lettered alone: the messages in flight beside it are handled', async () => {
  const holding = (n: number) => (n === 2 ? die() : new Promise((resolve) => setTimeout(resolve, 20)));
  const { begun, ended, again, main, dead } = await consumer(broker, 'fatal', holding);
  // Of the same service, and always unacknowledged when its process ends.
  const other = await consumer(broker, 'beside', (n) =>
    eventually(() => expect([n, handling.over]).toEqual([n, true])),
  );
  const handling = { over: false };
  await steady.publish(things(1, 2, 3, 4, 5, 6));
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1), 30_000);
  handling.over = true;
  expect(await numbersOf(dead)).toEqual([2]);
  expect(begun.filter((n) => n === 2)).toHaveLength(11);
  await eventually(() => expect([...new Set(ended)].sort()).toEqual([1, 3, 4, 5, 6]));
  await eventually(() => expect([...new Set(other.ended)].sort()).toEqual([1, 2, 3, 4, 5, 6]));
  for (const name of [main, other.main]) await eventually(async () => expect(await rabbit.count(name)).toBe(0));
  expect(await rabbit.count(other.dead)).toBe(0);
  // The handler knows which messages were delivered before.
  const repeated = begun.flatMap((n, index) => (begun.indexOf(n) < index ? [again[index]] : []));
  expect([again[0], new Set(repeated)]).toEqual([false, new Set([true])]);
});
