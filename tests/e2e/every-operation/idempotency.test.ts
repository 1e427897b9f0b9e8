import { randomUUID } from 'node:crypto';
import { connectMongo } from '@app/runtime';
import { eventually } from '@app/testing';
import type { AxiosResponse } from 'axios';
import { newCompany, newTicket, pdfForm } from '../platform.ts';
import { type Example, examples, newWorld, type World } from './idempotency-examples.ts';
import { isPublic, nameOf, operations } from './operations.ts';

let world: World;

const services = ['identity', 'ticket', 'purchase', 'webhook-dispatcher', 'connection', 'invoice-reconciliation'];
type Database = Awaited<ReturnType<typeof connectMongo>>;
const databases: Record<string, Database> = {};

beforeAll(async () => {
  world = await newWorld();
  const { MONGODB_URL: url = '', PLATFORM_NAMESPACE: namespace = '' } = process.env;
  for (const name of services)
    databases[name] = await connectMongo({ url, database: `${namespace}${name}`, poolSize: 2 });
});
afterAll(() => Promise.all(Object.values(databases).map((database) => database.close())));

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

/** Operations that answer a repeat by what is there now: it was made before. */
const repeatable = ['ticket POST /api/v3.0/tickets/{ticket_id}/purchases'];

/** Operations whose handlers leave `write` aside, because what they do may be done again. Their answers are the same each time. */
const unprotected = [
  ...repeatable,
  // They write nothing.
  'ts POST /imports/preview',
  'ts POST /clock-settings/preview',
  // Who is erased stays as it is.
  'ts POST /company/users/{id}/erase',
  'ts POST /admin/users/{id}/erase',
  // One more fetch or poll changes nothing.
  'ts POST /invoices/resync',
  'ts POST /invoice-connections/{id}/poll',
  'ts POST /invoice-connections/{id}/failures/{failureId}/retry',
  // What is read stays read.
  'ts POST /notifications/read',
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

/** The database of every service takes no answers, as if each process died before it could store one. */
async function refuseAnswers(refused: boolean): Promise<void> {
  const validator = refused ? { answer: { $exists: false } } : {};
  for (const database of Object.values(databases)) {
    await database.db?.command({ collMod: 'idempotency_keys', validator });
  }
}

/** The collections that requests write, each with the field that names its company. */
const written = {
  identity: { companies: '_id', users: 'company_id', api_tokens: 'company_id' },
  ticket: {
    tickets: 'client_id',
    notes: 'company_id',
    documents: 'company_id',
    contractors: 'client_id',
    referentials: 'client_id',
    exports: 'company.id',
  },
  purchase: { purchases: 'buyer_company_id' },
  'webhook-dispatcher': { endpoints: 'companyId', redeliveries: 'companyId' },
  connection: { connections: 'client' },
};

/** Counts what the companies of this test have, and sums the versions: a second thing or a second change would show. */
async function everythingWritten(): Promise<object> {
  const companies = { $in: [...world.companies] };
  const entries = Object.entries(written).flatMap(([service, collections]) =>
    Object.entries(collections).map(async ([name, field]) => {
      const match = { $or: [{ [field]: companies }, { name: world.newCompanyName }] };
      const group = { _id: null, count: { $sum: 1 }, versions: { $sum: '$version' } };
      const collection = (databases[service] as Database).collection(name);
      const [sums] = await collection.aggregate([{ $match: match }, { $group: group }]).toArray();
      return [`${service} ${name}`, sums?.['count'], sums?.['versions']] as const;
    }),
  );
  return Promise.all(entries);
}

type Begun = { name: string; key: string; example: Example; first: AxiosResponse };

/** Those of the requests, none of which has its answer stored, that have not used their protected write. */
async function withoutWrite(begun: Begun[]): Promise<string[]> {
  const unused = { answer: { $exists: false }, written: { $exists: false } };
  const found = Object.values(databases).map((database) =>
    database.collection<{ operation: string }>('idempotency_keys').find(unused).toArray(),
  );
  const operations = (await Promise.all(found)).flat().map(({ operation }) => operation);
  return begun.filter(({ example: { path } }) => operations.some((one) => one.endsWith(path))).map(({ name }) => name);
}

describe('every POST of the two APIs', () => {
  test('has an example here', async () => {
    const missing = (await namesOfPosts()).filter((name) => !(name in examples));
    // Add it to idempotency-examples.ts, and see docs/contributing/protect-a-post.md.
    expect(missing).toEqual([]);
  });

  test('is carried out once under one key, also if its process dies before it answers; with another body it is 422', async () => {
    const names = await namesOfPosts();
    const begun: Begun[] = [];
    const begin = async (some: string[]) => {
      for (const name of some) {
        const example = await (examples[name] as (typeof examples)[string])(world);
        const key = randomUUID();
        const first = await send(example, key);
        expect([name, first.status < 300, first.data]).toEqual([name, true, first.data]);
        begun.push({ name, key, example, first });
      }
    };
    await begin(repeatedAfterCrash);
    await refuseAnswers(true);
    await begin(names.filter((name) => !repeatedAfterCrash.includes(name))).finally(() => refuseAnswers(false));
    const died = begun.slice(repeatedAfterCrash.length);
    // Whoever is missing in the list has not passed its `write` to the store: docs/contributing/protect-a-post.md.
    // Requests of other tests, which are under way, end.
    await eventually(async () => expect((await withoutWrite(died)).sort()).toEqual([...unprotected].sort()));
    const before = await everythingWritten();
    for (const { name, key, example, first } of begun) {
      // The lease of a dead process holds for 10 s.
      const retried = await eventually(async () => {
        const answer = await send(example, key);
        expect([name, answer.data.code]).not.toEqual([name, 'idempotency_key_in_progress']);
        return answer;
      });
      const wasStored = repeatedAfterCrash.includes(name);
      const isStored = !repeatable.includes(name);
      const expected = isStored ? first : { ...first, status: 200, data: { ...first.data, created: false } };
      expect([name, isReplayed(retried), ...shown(retried)]).toEqual([name, wasStored, ...shown(expected)]);
      const again = await send(example, key);
      expect([name, isReplayed(again), again.status, again.data]).toEqual([
        name,
        isStored,
        retried.status,
        retried.data,
      ]);
      const other = await send(example, key, otherBody(example.body()));
      expect([name, other.status, other.data.code]).toEqual([name, 422, 'idempotency_key_reused']);
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
