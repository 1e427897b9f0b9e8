import { randomUUID } from 'node:crypto';
import { connectMongo } from '@app/runtime';
import { eventually } from '@app/testing';
import type { AxiosResponse } from 'axios';
import { startPlatform, type TestPlatform } from '../../setup/platform.ts';
import { newCompany, newTicket, pdfForm, stack } from '../platform.ts';
import { type Example, examples, newWorld, type World } from './idempotency-examples.ts';
import { isPublic, nameOf, operations } from './operations.ts';

/** Uses a platform of its own, because its services are killed and their databases looked into. */
let platform: TestPlatform;
let world: World;

const services = ['identity', 'ticket', 'purchase', 'webhook-dispatcher', 'connection', 'invoice-reconciliation'];
type Database = Awaited<ReturnType<typeof connectMongo>>;
const databases: Record<string, Database> = {};

beforeAll(async () => {
  platform = await startPlatform('idem');
  process.env['STACK_DIR'] = platform.dir;
  world = await newWorld();
  for (const name of services) {
    const url = process.env['MONGODB_URL'] as string;
    databases[name] = await connectMongo({ url, database: `idem${process.pid}-${name}`, poolSize: 2 });
  }
});
afterAll(async () => {
  await Promise.all(Object.values(databases).map((database) => database.close()));
  await platform.stop();
});

/**
 * Operations that this file does not call: a logout ends the credential that its retry would need.
 */
const notCalled = ['ts POST /auth/logout'];
/** Operations that are carried out again if their process dies before their answer is stored, because that does no harm. */
const repeatedAfterCrash = [
  // The attempt cannot be undone.
  'ts POST /webhooks/endpoints/{id}/test',
  // A repeat starts only what is still exhausted, and answers how much that was.
  'ts POST /webhooks/endpoints/{id}/recover',
];

async function namesOfPosts(): Promise<string[]> {
  const posts = (await operations()).filter((operation) => operation.method === 'POST' && !isPublic(operation));
  return posts.map(nameOf).filter((name) => !notCalled.includes(name));
}

const send = ({ call, path, body }: Example, key: string, other: unknown = body()) =>
  call(`POST ${path}`, other, { 'idempotency-key': key });
/** Links are signed anew whenever they are shown. */
const shown = ({ status, data }: AxiosResponse): [number, string] => [
  status,
  JSON.stringify(data).replaceAll(/"download_url":"[^"]*"/g, '"download_url":"…"'),
];
const isReplayed = ({ headers }: AxiosResponse) => headers['idempotent-replayed'] === 'true';

/** Another body than the example has. */
function otherBody(body: unknown): unknown {
  if (!(body instanceof FormData)) return { ...(body as object), other: 1 };
  const texts = [...body].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return pdfForm(Object.fromEntries(texts), 65);
}

const keysIn = (name: string) => (databases[name] as Database).collection<{ _id: string }>('idempotency_keys');

/** The database of every service takes no answers, as if each process died before it could store one. */
async function refuseAnswers(refused: boolean): Promise<void> {
  const validator = refused ? { answer: { $exists: false } } : {};
  for (const database of Object.values(databases)) {
    await database.db?.command({ collMod: 'idempotency_keys', validator });
  }
}

/** The collections that requests write, with the sum of their versions: a second thing or a second change would show. */
const written = {
  identity: ['companies', 'users', 'api_tokens'],
  ticket: ['tickets', 'notes', 'documents', 'contractors', 'referentials', 'exports'],
  purchase: ['purchases'],
  'webhook-dispatcher': ['endpoints', 'redeliveries'],
  connection: ['connections'],
};

async function everythingWritten(): Promise<object> {
  const entries = Object.entries(written).flatMap(([service, collections]) =>
    collections.map(async (name) => {
      const group = { $group: { _id: null, count: { $sum: 1 }, versions: { $sum: '$version' } } };
      const [sums] = await (databases[service] as Database).collection(name).aggregate([group]).toArray();
      return [`${service} ${name}`, sums?.['count'], sums?.['versions']] as const;
    }),
  );
  return Promise.all(entries);
}

describe('every POST of the two APIs', () => {
  test('has an example here', async () => {
    const missing = (await namesOfPosts()).filter((name) => !(name in examples));
    // Add it to idempotency-examples.ts, and see "Add a route" in CONTRIBUTING.md.
    expect(missing).toEqual([]);
  });

  test('is carried out once under one key, and answers the same again; with another body it is 422', async () => {
    for (const name of await namesOfPosts()) {
      const example = await (examples[name] as (typeof examples)[string])(world);
      const key = randomUUID();
      const first = await send(example, key);
      expect([name, first.status < 300, first.data]).toEqual([name, true, first.data]);
      const again = await send(example, key);
      expect([name, isReplayed(first), isReplayed(again)]).toEqual([name, false, true]);
      expect([name, again.status, again.data]).toEqual([name, first.status, first.data]);
      const other = await send(example, key, otherBody(example.body()));
      expect([name, other.status, other.data.code]).toEqual([name, 422, 'idempotency_key_reused']);
    }
  });

  test('whose process died between its write and its answer makes no second thing, and answers as it would have', async () => {
    const names = (await namesOfPosts()).filter((name) => !repeatedAfterCrash.includes(name));
    const begun: { name: string; key: string; example: Example; first: AxiosResponse }[] = [];
    await refuseAnswers(true);
    for (const name of names) {
      const example = await (examples[name] as (typeof examples)[string])(world);
      const key = randomUUID();
      const first = await send(example, key);
      expect([name, first.status < 300, first.data]).toEqual([name, true, first.data]);
      begun.push({ name, key, example, first });
    }
    await refuseAnswers(false);
    const before = await everythingWritten();
    // As if the leases of the dead processes had ended.
    for (const name of services)
      await keysIn(name).updateMany({ answer: { $exists: false } }, { $unset: { lease: 1 } });
    for (const { name, key, example, first } of begun) {
      const retried = await send(example, key);
      expect([name, isReplayed(retried), ...shown(retried)]).toEqual([name, false, ...shown(first)]);
      const again = await send(example, key);
      expect([name, isReplayed(again), ...shown(again)]).toEqual([name, true, ...shown(retried)]);
    }
    expect(await everythingWritten()).toEqual(before);
  });
});

test.each([
  ['a ticket', async () => ['/tickets', () => ({ title: 'Leak' })] as const],
  ['a note', async () => [`${await newTicket(world.owner)}/notes`, () => ({ note: 'x', type: 'public' })] as const],
  ['a document', async () => [`${await newTicket(world.owner)}/documents`, () => pdfForm()] as const],
])('of five requests at once for %s, one is carried out', async (_thing, make) => {
  const [path, body] = await make();
  const key = randomUUID();
  const before = await everythingWritten();
  const example = { call: world.owner.api, path, body };
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(example, key)));
  const created = answers.filter(({ status }) => status === 201);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(created.map(({ data }) => JSON.stringify(data))).size).toBe(1);
  for (const { status, data, headers } of answers.filter((answer) => !created.includes(answer))) {
    expect([status, data.code, headers['retry-after']]).toEqual([409, 'idempotency_key_in_progress', '1']);
  }
  expect(await everythingWritten()).not.toEqual(before);
  const after = await everythingWritten();
  expect((await send(example, key)).data).toEqual(created[0]?.data);
  expect(await everythingWritten()).toEqual(after);
});

test('the keys of another company are others', async () => {
  const other = await newCompany('client');
  const key = randomUUID();
  const [one, two] = await Promise.all(
    [world.owner, other].map(({ api }) => send({ call: api, path: '/tickets', body: () => ({ title: 'Leak' }) }, key)),
  );
  expect([one?.status, two?.status]).toEqual([201, 201]);
  expect(one?.data.ticket_id).not.toBe(two?.data.ticket_id);
});

/** Waits until a service that was killed runs again. */
async function restarted(service: string, pid: number | undefined): Promise<void> {
  await eventually(() => expect(stack().pids[service]).not.toBe(pid));
}

test('kill -9 after an endpoint was written, before its answer was stored: the retry gives it, with its secret', async () => {
  const client = await newCompany('client');
  const keys = keysIn('webhook-dispatcher');
  // The process is killed between the write and the storing of the answer. If that moment was
  // missed, the next request tries again.
  for (let number = 0; ; number++) {
    const body = { name: `e${number}`, url: 'https://example.com/', events: ['ticket.status_changed'] };
    const example = { call: client.ts, path: '/webhooks/endpoints', body: () => body };
    const key = randomUUID();
    const pid = stack().pids['webhook-dispatcher'];
    await keys.deleteMany({});
    const first = send(example, key);
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
      const answer = await send(example, key);
      expect(answer.status).toBe(201);
      return answer;
    });
    expect(retried.data).toMatchObject({ ...body, secret: expect.stringMatching(/^whsec_/) });
    const { items } = (await client.ts('GET /webhooks/endpoints')).data;
    expect(items.filter(({ name }: { name: string }) => name === body.name)).toHaveLength(1);
    expect(items.at(-1).id).toBe(retried.data.id);
    if (!missed) return;
  }
});

test('killing the ticket service while notes are written: each is there once', async () => {
  const ticket = await newTicket(world.owner);
  const notes = Array.from({ length: 60 }, (_, index) => ({ note: `note ${index}`, type: 'public' }));
  const done: string[] = [];
  const left = notes.map((body) => ({ body, key: randomUUID() }));
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { body, key } = next;
      await eventually(async () => {
        const { status } = await send({ call: world.owner.api, path: `${ticket}/notes`, body: () => body }, key);
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
  const stored = (await world.owner.api(`GET ${ticket}/notes`)).data.notes.map(({ note }: { note: string }) => note);
  expect(stored.toSorted()).toEqual(notes.map(({ note }) => note).toSorted());
});
