import { eventsOfOperations, webhookCatalogue } from '@app/contracts';
import { eventually, type Receiver } from '@app/testing';
import { bodiesAt, newReceiver, newTicket, ok, pdfForm, subscribe } from '../platform.ts';
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

const ticketPath = '/api/v3.0/tickets/{ticket_id}';
const nextDay = () => ({ type: 'planned', start: Date.now() + 86_400_000, end: Date.now() + 90_000_000 });

type Call = Pick<Example, 'call' | 'path' | 'body'>;
const byOwner = (path: string, body: object = {}): Call => ({ call: world.owner.api, path, body: () => body });

/** On a ticket that is assigned. */
async function assigned(): Promise<string> {
  const ticket = await newTicket(world.owner);
  await ok(world.owner.api(`POST ${ticket}/assign`, { contractor_id: world.contractor.id }));
  return ticket;
}

async function quoted(): Promise<string> {
  const ticket = await assigned();
  await ok(world.contractor.api(`POST ${ticket}/quotes`, pdfForm({ reference: 'D-1', price: '10' })));
  const { quotes } = (await ok(world.owner.api(`GET ${ticket}`))).data;
  return `${ticket}/quotes/${quotes[0]._id}`;
}

/** Those that are no POST. */
const others: Record<string, () => Promise<Call>> = {
  [`PUT ${ticketPath}/finish`]: async () => byOwner(`${await assigned()}/finish`),
  [`PUT ${ticketPath}/close`]: async () => byOwner(`${await assigned()}/close`),
  [`PUT ${ticketPath}/cancel`]: async () =>
    byOwner(`${await newTicket(world.owner)}/cancel`, { reason_cancel: 'twice' }),
  [`PUT ${ticketPath}/dates/{date_id}/not-done`]: async () => {
    const ticket = await assigned();
    const { date } = (await ok(world.owner.api(`POST ${ticket}/dates`, nextDay()))).data;
    return byOwner(`${ticket}/dates/${date._id}/not-done`);
  },
  [`PUT ${ticketPath}/quotes/{quote_id}/validate`]: async () => byOwner(`${await quoted()}/validate`),
  [`PUT ${ticketPath}/quotes/{quote_id}/decline`]: async () => byOwner(`${await quoted()}/decline`),
};

async function exampleOf(operation: string): Promise<Call> {
  const [make, other] = [examples[`ticket ${operation}`] ?? examples[`ts ${operation}`], others[operation]];
  if (make) return make(world);
  if (other) return other();
  throw new Error(`this test knows no example of ${operation}; add one`);
}

/** The ticket that a call is about: in its path, or in its body. */
async function ticketOf({ path, body }: Call): Promise<string> {
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
    const made = await exampleOf(operation);
    const id = await ticketOf(made);
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
