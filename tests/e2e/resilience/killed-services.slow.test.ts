import { randomUUID } from 'node:crypto';
import { connectMongo } from '@app/runtime';
import { eventually, type Receiver } from '@app/testing';
import { startPlatform, type TestPlatform } from '../../setup/platform.ts';
import { type Account, anInvoice, linesOf, newBuyer, newJob, ok, provider } from '../invoicing.ts';
import { bodiesAt, type Member, newCompany, newReceiver, newTicket, stack, subscribe } from '../platform.ts';

/** Uses a platform of its own, because other tests must not meet killed services. */
let platform: TestPlatform;
let receiver: Receiver;
beforeAll(async () => {
  // Requests here are small, and callers wait this long for a stopped service.
  platform = await startPlatform('kill', { UPSTREAM_TIMEOUT: '5s' });
  process.env['STACK_DIR'] = platform.dir;
});
afterAll(() => platform.stop());
beforeEach(async () => {
  receiver = await newReceiver();
});
afterEach(() => receiver.close());

const tickets = 40;
const writes = 60;

test('killing services at any moment loses no event: each arrives with one delivery id, and the platform recovers', async () => {
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
  });
  // Delivery is at least once: a repeat has the same id and the same bytes.
  const bodies = Map.groupBy(receiver.received, ({ headers }) => headers['x-service-delivery']);
  expect(bodies.size).toBe(tickets);
  for (const repeated of bodies.values()) expect(new Set(repeated.map(({ body }) => body.toString())).size).toBe(1);
  await eventually(() => {
    const { pids } = stack();
    expect(pids['ticket']).not.toBe(before['ticket']);
    expect(pids['webhook-dispatcher']).not.toBe(before['webhook-dispatcher']);
  });
});

/** Finishing twice changes nothing, so a request without an answer is simply repeated. */
async function finishWhateverHappens(client: Member, path: string, index: number): Promise<void> {
  if (index > 0) await eventually(() => expect(receiver.received.length).toBeGreaterThan(0));
  await eventually(async () => expect((await client.api(`PUT ${path}/finish`)).status).toBe(200));
}

/** Repeats a request that got no answer or met a dead service. */
async function createWhateverHappens(client: Member, ticket: string, reference: string): Promise<void> {
  await eventually(async () => {
    const { status, data } = await client.api(`POST ${ticket}/purchases`, { kind: 'purchase_order', reference });
    if (status !== 502 && status !== 504) expect([200, 201]).toContain(status);
    else expect(['purchase_unavailable', 'purchase_timeout']).toContain(data.code);
    expect(status).toBeLessThan(500);
  });
  // A write that was confirmed is readable, whatever was killed meanwhile.
  const read = await eventually(async () => {
    const answer = await client.api(`GET ${ticket}`);
    expect(answer.status).toBe(200);
    return answer;
  });
  expect(read.data.purchases.map((purchase: { reference: string }) => purchase.reference)).toContain(reference);
}

test('killing the purchase and the ticket service while documents are written: each exists and is published once', async () => {
  const client = await newCompany('client');
  await subscribe(client, receiver);
  const ticket = await newTicket(client);
  const before = stack().pids;
  const references = Array.from({ length: writes }, (_, index) => `BC-${index}`);
  const done: string[] = [];
  const writing = (async () => {
    // Four at a time, so that some are in progress whenever a service dies.
    const left = [...references];
    const worker = async () => {
      for (let reference = left.shift(); reference !== undefined; reference = left.shift()) {
        await createWhateverHappens(client, ticket, reference);
        done.push(reference);
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  })();
  await eventually(() => expect(done.length).toBeGreaterThan(5));
  process.kill(before['purchase'] as number, 'SIGKILL');
  await eventually(() => expect(done.length).toBeGreaterThan(25));
  process.kill(before['ticket'] as number, 'SIGKILL');
  await writing;

  await eventually(async () => {
    const { purchases } = (await client.api(`GET ${ticket}`)).data;
    expect(purchases.map(({ reference }: { reference: string }) => reference).sort()).toEqual([...references].sort());
  });
  await eventually(() => {
    const received = bodiesAt(receiver).map(({ data }) => (data['purchase'] as { reference: string }).reference);
    expect([...new Set(received)].sort()).toEqual([...references].sort());
  });
  const deliveries = new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']));
  expect(deliveries.size).toBe(writes);
});

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
  await createWhateverHappens(client, ticket, 'BC-1');
  const retried = await client.api(`POST ${ticket}/purchases`, { kind: 'goods_receipt', reference: 'BR-1' });
  expect([200, 201]).toContain(retried.status);
  expect((await client.api(`GET ${ticket}`)).data.purchases).toHaveLength(2);
});

const matching = 30;
const waiting = 10;
const killed = new Set<number>();

/** Waits for this service too: the others may have answered while it was still restarting. */
async function killOnceBack(service: string): Promise<void> {
  const pid = await eventually(() => {
    const current = stack().pids[service];
    expect(current !== undefined && !killed.has(current)).toBe(true);
    return current as number;
  });
  process.kill(pid, 'SIGKILL');
  killed.add(pid);
}

test('killing connection and reconciliation while invoices arrive: each has one line, one event and one feedback', async () => {
  const client = await newCompany('client');
  const { account, contractor } = await newBuyer(client);
  await subscribe(client, receiver);
  const paths = await Promise.all(
    Array.from({ length: matching }, async (_, index) => {
      const reference = `BC-KILL-${100 + index}`;
      return (await newJob(client, contractor, { reference, amount: 100 })).path;
    }),
  );
  // Added at the provider before the connection exists: no poll lists them, so only the accepted webhooks count.
  const externalIds = await Promise.all(
    Array.from({ length: matching + waiting }, (_, index) => {
      const references = index < matching ? { references: { purchase_order: `BC-KILL-${100 + index}` } } : {};
      return account.put(anInvoice(references), { notify: false });
    }),
  );
  await ok(account.connect());
  // Slow enough that something is in progress whenever a process dies.
  await provider()('POST /admin/faults', { kind: 'delay', ms: 50 });
  const notifying = notifyWhateverHappens(account, externalIds);
  const fetched = async () => {
    const { byPath } = (await provider()('GET /admin/calls')).data as { byPath: Record<string, number> };
    return externalIds.filter((id) => byPath[`/invoices/${id}`]).length;
  };
  const fedBack = async () => (await account.feedback()).length;
  for (const [services, isReached] of [
    [['connection'], async () => (await fetched()) >= 4],
    [['invoice-reconciliation'], async () => (await fedBack()) >= 2],
    [['connection', 'invoice-reconciliation'], async () => (await fedBack()) >= 10],
  ] as const) {
    await eventually(async () => expect(await isReached()).toBe(true), 90_000);
    for (const service of services) await killOnceBack(service);
  }
  await notifying;

  const lines = await eventually(async () => {
    const each = await Promise.all(paths.map((path) => linesOf(client, path)));
    expect(each.map(({ length }) => length)).toEqual(Array(matching).fill(1));
    return each.flat();
  }, 120_000);
  const matched = await eventually(async () => {
    const invoices = await Promise.all(lines.map(({ invoice_id }) => account.read(invoice_id)));
    expect(invoices.map(({ state }) => state)).toEqual(Array(matching).fill('done'));
    return invoices;
  }, 120_000);
  const queued = await eventually(async () => {
    const queue = await account.queue();
    expect(queue).toHaveLength(waiting);
    return queue;
  }, 120_000);
  expect([...matched, ...queued].map(({ externalId }) => externalId).sort()).toEqual(externalIds.toSorted());
  for (const { history } of matched) expect(history.filter(({ to }) => to === 'ticket_matched')).toHaveLength(1);
  // The provider may get feedback twice if its response was lost; the invoice is taken in charge once.
  const changes = (await account.feedback()).filter(({ changed }) => changed).map(({ invoiceId }) => invoiceId);
  expect(changes.toSorted()).toEqual(externalIds.slice(0, matching).toSorted());
  await eventually(() => {
    const received = bodiesAt(receiver).flatMap(
      ({ data }) => (data['invoice'] as { id: string } | undefined)?.id ?? [],
    );
    expect([...new Set(received)].sort()).toEqual(lines.map(({ invoice_id }) => invoice_id).sort());
  });
  const added = receiver.received.filter(({ headers }) => headers['x-service-event'] === 'ticket.invoice_added');
  expect(new Set(added.map(({ headers }) => headers['x-service-delivery'])).size).toBe(matching);
}, 300_000);

/** Sends webhooks of four invoices each, two at a time, and repeats those that were not accepted. */
async function notifyWhateverHappens(account: Account, externalIds: string[]): Promise<void> {
  const left = Array.from({ length: externalIds.length / 4 }, (_, index) =>
    externalIds.slice(4 * index, 4 * index + 4),
  );
  const worker = async () => {
    for (let ids = left.shift(); ids !== undefined; ids = left.shift()) {
      const { body, headers } = account.signed(ids);
      await eventually(async () => expect((await account.post(body, headers)).status).toBe(202));
    }
  };
  await Promise.all([worker(), worker()]);
}

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
