import type { Broker } from '../../broker.ts';
import { on } from '../../consuming/subscription.ts';
import { type Rabbit, thingHappened } from '../rabbit.ts';

export type Handled = { n: number; at: number };

/** The error of an attempt, counted from 1, at the event `n`; none if it succeeds. */
export type FailsAs = (attempt: number, n: number) => unknown;

type On = { rabbit: Rabbit; broker: Broker; queue: string };

/** A consumer that keeps every call of its handler, which fails as `fail` says. */
export async function recordingConsumer({ rabbit, broker, queue }: On, fail: FailsAs = () => undefined) {
  const handled: Handled[] = [];
  const table = [
    on(thingHappened, async ({ data: { n } }) => {
      handled.push({ n, at: Date.now() });
      const error = fail(handled.filter((each) => each.n === n).length, n);
      if (error) throw error;
    }),
  ];
  const queues = await rabbit.subscribe(broker, { queue, table });
  const calls = (n: number) => handled.filter((each) => each.n === n);
  const nothingLeft = async () => {
    for (const name of [queues.main, queues.retry]) expect(await rabbit.count(name)).toBe(0);
  };
  return { ...queues, handled, calls, nothingLeft };
}
