import { randomUUID } from 'node:crypto';
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
    await eventually(() => expect(stack().pids['ticket']).not.toBe(pid));
  }
  await writing;
  const stored = (await client.api(`GET ${ticket}/notes`)).data.notes.map(({ note }: { note: string }) => note);
  expect(stored.toSorted()).toEqual(notes.map(({ note }) => note).toSorted());
});
