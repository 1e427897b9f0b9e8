import { randomUUID } from 'node:crypto';
import { connectMongo } from '@app/runtime';
import { eventually } from '@app/testing';
import { startPlatform, type TestPlatform } from '../../setup/platform.ts';
import { newCompany, newTicket, stack } from '../platform.ts';

/**
 * Uses a platform of its own, because other tests must not meet killed services. That nothing is lost when processes die is held by
 * tests/faults.
 */
let platform: TestPlatform;
beforeAll(async () => {
  // Requests here are small, and callers wait this long for a stopped service.
  platform = await startPlatform('kill', { UPSTREAM_TIMEOUT: '5s' });
  process.env['STACK_DIR'] = platform.dir;
});
afterAll(() => platform.stop());

test('while the purchase service is down, tickets show the purchases last known, and writes get a retryable error', async () => {
  const client = await newCompany('client');
  const ticket = await newTicket(client);
  await client.api(`POST ${ticket}/purchases`, { kind: 'purchase_order', reference: 'BC-1' });
  const { purchase } = stack().pids;
  // SIGSTOP: it neither answers nor is restarted until we continue it.
  process.kill(purchase as number, 'SIGSTOP');
  try {
    const [read, listed] = await Promise.all([client.api(`GET ${ticket}`), client.api('GET /tickets')]);
    expect([read.data.purchases, listed.data.tickets[0].purchases]).toEqual(
      [1, 2].map(() => [expect.objectContaining({ reference: 'BC-1' })]),
    );
    const { status, data } = await client.api(`POST ${ticket}/purchases`, { kind: 'goods_receipt', reference: 'BR-1' });
    expect([status, data.code]).toEqual([504, 'purchase_timeout']);
  } finally {
    process.kill(purchase as number, 'SIGCONT');
  }
  await eventually(async () => {
    const retried = await client.api(`POST ${ticket}/purchases`, { kind: 'goods_receipt', reference: 'BR-1' });
    expect([200, 201]).toContain(retried.status);
  });
  expect((await client.api(`GET ${ticket}`)).data.purchases).toHaveLength(2);
});

/** Waits until a service that was killed runs again. */
async function restarted(service: string, pid: number | undefined): Promise<void> {
  await eventually(() => expect(stack().pids[service]).not.toBe(pid));
}

test('kill -9 after an endpoint was written, before its answer was stored: the retry gives it, with its secret', async () => {
  const client = await newCompany('client');
  const url = process.env['MONGODB_URL'] as string;
  const database = await connectMongo({ url, database: `${platform.namespace}webhook-dispatcher`, poolSize: 2 });
  const keys = database.collection<{ _id: string }>('idempotency_keys');
  // The process is killed between the write and the storing of the answer. If that moment was
  // missed, the next request tries again.
  for (let number = 0; ; number++) {
    const body = { name: `e${number}`, url: 'https://example.com/', events: ['ticket.status_changed'] };
    const key = { 'idempotency-key': randomUUID() };
    const make = () => client.ts('POST /webhooks/endpoints', body, key);
    const pid = stack().pids['webhook-dispatcher'];
    await keys.deleteMany({});
    const first = make();
    const record = await eventually(async () => {
      const found = await keys.findOne({});
      if (!found || !('written' in found || 'answer' in found)) throw new Error('nothing is written yet');
      return found;
    });
    process.kill(pid as number, 'SIGKILL');
    const { status } = await first;
    await restarted('webhook-dispatcher', pid);
    const missed = status < 300 || 'answer' in ((await keys.findOne({ _id: record._id })) ?? {});
    const retried = await eventually(async () => {
      const answer = await make();
      expect(answer.status).toBe(201);
      return answer;
    });
    expect(retried.data).toMatchObject({ ...body, secret: expect.stringMatching(/^whsec_/) });
    const { items } = (await client.ts('GET /webhooks/endpoints')).data;
    expect(items.filter(({ name }: { name: string }) => name === body.name)).toHaveLength(1);
    expect(items.at(-1).id).toBe(retried.data.id);
    if (!missed) break;
  }
  await database.close();
});

test('killing the ticket service while notes are written: each is there once', async () => {
  const client = await newCompany('client');
  const ticket = await newTicket(client);
  const notes = Array.from({ length: 60 }, (_, index) => ({ note: `note ${index}`, type: 'public' }));
  const done: string[] = [];
  const left = notes.map((body) => ({ body, key: randomUUID() }));
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { body, key } = next;
      await eventually(async () => {
        const { status } = await client.api(`POST ${ticket}/notes`, body, { 'idempotency-key': key });
        expect(status).toBe(201);
      });
      done.push(body.note);
    }
  };
  const writing = Promise.all([worker(), worker(), worker(), worker()]);
  for (const count of [5, 30]) {
    await eventually(() => expect(done.length).toBeGreaterThan(count));
    const { ticket: pid } = stack().pids;
    process.kill(pid as number, 'SIGKILL');
    await restarted('ticket', pid);
  }
  await writing;
  const stored = (await client.api(`GET ${ticket}/notes`)).data.notes.map(({ note }: { note: string }) => note);
  expect(stored.toSorted()).toEqual(notes.map(({ note }) => note).toSorted());
});
