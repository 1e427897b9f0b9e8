import { invoiceFetched, invoiceGone } from '@app/contracts';
import { eventually } from '@app/testing';
import { anInvoice, type Connected, type Service, startService } from './service.ts';

const hourMs = 3_600_000;

let service: Service;
/** How far the clock of the service is ahead. */
let aheadMs = 0;
beforeAll(async () => {
  service = await startService({ now: () => new Date(Date.now() + aheadMs) });
});
afterEach(() => {
  aheadMs = 0;
});
afterAll(() => service.stop());

const about = (id: string) => [
  ...service.events(invoiceFetched).filter(({ external_id }) => external_id === id),
  ...service.events(invoiceGone).filter(({ external_id }) => external_id === id),
];

test('a later fetch has the higher sequence: after a clock stepped back, a deleted job and another connection', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  const next = async (count: number, connection = connected) => {
    await service.notify(connection, id);
    await eventually(() => expect(about(id)).toHaveLength(count));
  };
  await next(1);
  aheadMs = -hourMs;
  service.sandbox.put(connected.apiKey, { id, number: 'F-changed' });
  await next(2);
  service.sandbox.remove(connected.apiKey, id);
  await next(3);
  await service.jobs().deleteMany({ connectionId: connected.id });
  service.sandbox.put(connected.apiKey, anInvoice({ id }));
  await next(4);
  const { owner, apiKey, webhookSecret } = connected;
  await service.remove(connected);
  const body = { provider: 'sandbox', apiKey, webhookSecret };
  const made = await service.call('POST', '/invoice-connections', { as: owner, body });
  // After a deletion another connection may be active.
  expect(made.status).toBe(201);
  service.sandbox.put(connected.apiKey, { id, number: 'F-last' });
  await next(5, { ...connected, id: String(made.body['id']) });

  const fetched = service.events(invoiceFetched).filter(({ external_id }) => external_id === id);
  const [gone] = service.events(invoiceGone).filter(({ external_id }) => external_id === id);
  const counts = [fetched[0], fetched[1], gone, fetched[2], fetched[3]].map((event) => Number(event?.sequence));
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(new Set(counts).size).toBe(5);
  expect(String(fetched[1]?.fetched_at) < String(fetched[0]?.fetched_at)).toBe(true);
});

/** Waits until no poll is running, then sets the time of the next poll. */
async function due({ id }: Connected, pollDueAt: Date): Promise<void> {
  await eventually(async () => {
    const idle = { _id: id as never, pollLease: { $exists: false } };
    const { matchedCount } = await service.database.collection('connections').updateOne(idle, { $set: { pollDueAt } });
    expect(matchedCount).toBe(1);
  });
}

/** Polls the connection now, by the clock of the service. */
async function poll(connected: Connected): Promise<void> {
  const at = new Date(Date.now() + aheadMs);
  await due(connected, at);
  await eventually(async () => {
    expect((await service.recordOf(connected))?.['lastPolledAt'].getTime()).toBeGreaterThanOrEqual(at.getTime());
  });
}

test('a clock that was ahead for a while, or still is, hides no change from the polls', async () => {
  const connected = await service.connected();
  const put = () => service.sandbox.put(connected.apiKey, anInvoice()).id;
  aheadMs = 2 * hourMs;
  await poll(connected);
  const meanwhile = put();
  await poll(connected);
  await eventually(() => expect(about(meanwhile)).toHaveLength(1));
  const unseen = put();
  aheadMs = 0;
  const after = put();
  await due(connected, new Date());
  await eventually(() => expect([about(unseen), about(after)].map(({ length }) => length)).toEqual([1, 1]));
  await eventually(async () =>
    expect((await service.recordOf(connected))?.['lastPolledAt'].getTime()).toBeLessThanOrEqual(Date.now()),
  );
  // A fetch under the clock that was ahead does not hide later changes.
  service.sandbox.put(connected.apiKey, { id: meanwhile, number: 'F-changed' });
  await poll(connected);
  await eventually(() => expect(about(meanwhile)).toHaveLength(2));
});

test('a poll that a wrong clock postponed for longer than any pause takes place', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  await due(connected, new Date(Date.now() + 30 * 24 * hourMs));
  await eventually(() => expect(about(id)).toHaveLength(1));
});
