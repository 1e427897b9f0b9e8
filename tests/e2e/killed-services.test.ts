import { eventually, type Receiver } from '@app/testing';
import { bodiesAt, type Member, newCompany, newReceiver, newTicket, stack, subscribe } from './platform.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await newReceiver();
});
afterAll(() => receiver.close());

const tickets = 40;

test('killing services at any moment loses no event: each arrives, with one delivery id, and the platform is back', async () => {
  const client = await newCompany('client');
  await subscribe(client, receiver);
  const paths = await Promise.all(Array.from({ length: tickets }, () => newTicket(client)));
  const before = stack().pids;
  const finished = paths.map((path, index) => finishWhateverHappens(client, path, index));
  for (const service of ['webhook-dispatcher', 'ticket']) {
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0));
    process.kill(before[service] as number, 'SIGKILL');
  }
  await Promise.all(finished);
  await eventually(() => {
    const ids = bodiesAt(receiver).map(({ data }) => (data['ticket'] as { id: string }).id);
    expect(new Set(ids).size).toBe(tickets);
  }, 60_000);
  // At least once: a repetition is the same delivery, with the same bytes.
  const bodies = Map.groupBy(receiver.received, ({ headers }) => headers['x-service-delivery']);
  expect(bodies.size).toBe(tickets);
  for (const repeated of bodies.values()) expect(new Set(repeated.map(({ body }) => body.toString())).size).toBe(1);
  await eventually(() => {
    const { pids } = stack();
    expect(pids['ticket']).not.toBe(before['ticket']);
    expect(pids['webhook-dispatcher']).not.toBe(before['webhook-dispatcher']);
  });
}, 120_000);

/** Finishing again what is finished changes nothing, so a request whose answer was lost is simply sent again. */
async function finishWhateverHappens(client: Member, path: string, index: number): Promise<void> {
  if (index > 0) await eventually(() => expect(receiver.received.length).toBeGreaterThan(0));
  await eventually(async () => expect((await client.api(`PUT ${path}/finish`)).status).toBe(200), 60_000);
}
