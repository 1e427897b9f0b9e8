import { eventsOfOperations, webhookCatalogue } from '@app/contracts';
import { eventually, type Receiver } from '@app/testing';
import { bodiesAt, newReceiver, ok, subscribe } from '../platform.ts';
import { type Example, examples, newWorld, type World } from './idempotency-examples.ts';
import { operations } from './operations.ts';

/**
 * Carries out each operation in the table of docs/webhooks.md, and compares the events that its
 * client receives.
 */
let world: World;
let receiver: Receiver;

beforeAll(async () => {
  [world, receiver] = await Promise.all([newWorld(), newReceiver()]);
  await subscribe(world.owner, receiver);
});
afterAll(() => receiver.close());

/** The ticket that a call is about: in its path, or in its body. */
function ticketOf({ path, body }: Example): string {
  const { ticketId = /^\/tickets\/(\w+)/.exec(path)?.[1] } = (path.startsWith('/tickets') ? {} : body()) as {
    ticketId?: string;
  };
  return String(ticketId);
}

/**
 * The events of the last operation on the ticket: those of the steps before it are not later than
 * `before`.
 */
const causedOn = ({ id, before }: Done) =>
  bodiesAt(receiver)
    .filter(({ data, created_at }) => (data['ticket'] as { id: string }).id === id && created_at > before)
    .map(({ event }) => event);

type Done = { id: string; before: string; operation: string; possible: string[] };
const done: Done[] = [];

test.each(eventsOfOperations.map((row) => [row.operation, row] as const))(
  '%s causes what the table says',
  async (operation, { events, sometimes = {} }) => {
    const make = examples[`ticket ${operation}`] ?? examples[`ts ${operation}`];
    // Add it to idempotency-examples.ts.
    if (!make) throw new Error(`there is no example of ${operation}`);
    const made = await make(world);
    const id = ticketOf(made);
    const { updated_at: before } = (await ok(world.owner.api(`GET /tickets/${id}`))).data;
    await ok(made.call(`${operation.split(' ')[0]} ${made.path}`, made.body()));
    const possible = [...events, ...Object.keys(sometimes)];
    const row = { id, before, operation, possible };
    done.push(row);
    await eventually(() => {
      expect(causedOn(row)).toEqual(expect.arrayContaining(events));
      expect(causedOn(row).length).toBeGreaterThan(0);
    });
  },
);

test('none of them has caused anything else meanwhile', () => {
  for (const row of done) {
    const { operation, possible } = row;
    expect([operation, causedOn(row).filter((event) => !possible.includes(event))]).toEqual([operation, []]);
  }
  expect(done).toHaveLength(eventsOfOperations.length);
});

test('the table names operations and events that there are', async () => {
  const known = (await operations()).map(({ method, path }) => `${method} ${path}`);
  expect(known).toEqual(expect.arrayContaining(eventsOfOperations.map(({ operation }) => operation)));
  const named = eventsOfOperations.flatMap(({ events, sometimes = {} }) => [...events, ...Object.keys(sometimes)]);
  const all = webhookCatalogue.filter(({ subscribable }) => subscribable).map(({ event }) => event);
  expect([...new Set(named)].sort()).toEqual([...all].sort());
});
