import { type DomainEvent, userErased } from '@app/contracts';
import { newId } from '@app/kernel';
import { ensureIndexes, eventFixture, eventually, testDatabase, testLogger } from '@app/testing';
import type { Connection } from 'mongoose';
import { createErasures, type ErasePage, type Erasures } from '../../erasure/index.ts';

let connection: Connection;
let drop: () => Promise<void>;
let now: Date;
let published: unknown[];
let pages: (string | null)[];
const running: Erasures[] = [];

beforeEach(async () => {
  ({ connection, drop } = await testDatabase());
  now = new Date();
  published = [];
  pages = [];
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await drop();
});

const twoPages: ErasePage = async (_user, after) => {
  pages.push(after);
  return after === null ? '1' : null;
};

type Given = { erasePage?: ErasePage; settleMs?: number; publish?: (events: DomainEvent[]) => Promise<void> };

/** A replica of a service that keeps names. */
async function process({ erasePage = twoPages, settleMs = 0, publish }: Given = {}): Promise<Erasures> {
  // Each process has models of its own; here they share a connection.
  connection.deleteModel(/^Erasure$/);
  const broker = { publish: publish ?? (async (events) => void published.push(...events.map(({ data }) => data))) };
  const base = { connection, service: 'ticket', broker, logger: testLogger(), now: () => now };
  const erasures = createErasures({ ...base, erasePage, settleMs });
  await ensureIndexes(connection);
  running.push(erasures);
  return erasures;
}
const begin = (erasures: Erasures, userId = newId()) => {
  const event = eventFixture(userErased) as DomainEvent<{ user: { id: string } }>;
  const [row] = erasures.subscription.table;
  return row?.handle({ ...event, data: { ...event.data, user: { ...event.data.user, id: userId } } } as never);
};
const record = () => connection.collection('erasures').findOne({});
const passIs = (pass: string) => eventually(async () => expect(await record()).toMatchObject({ pass, after: null }));
const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

test('everything is gone through page by page, twice, and identity hears of the end', async () => {
  const erasures = await process();
  const userId = newId();
  await begin(erasures, userId);
  await begin(erasures, userId);
  erasures.start();
  await passIs('done');
  expect(pages).toEqual([null, '1', null, '1']);
  expect(published).toEqual([{ user_id: userId, service: 'ticket' }]);
  expect(await erasures.erasedAmong([userId, newId()])).toEqual(new Set([userId]));
});

test('the last pass waits until no credential of before is good; whichever process is there then makes it', async () => {
  const first = await process({ settleMs: 600_000 });
  first.start();
  await begin(first);
  await passIs('last');
  await first.stop();
  later(599_999);
  const early = await process({ settleMs: 600_000 });
  early.start();
  await early.stop();
  expect([pages, published]).toEqual([[null, '1'], []]);
  later(1);
  (await process({ settleMs: 600_000 })).start();
  await passIs('done');
  expect([pages.length, published.length]).toEqual([4, 1]);
});

test('a process that dies on a page leaves it to another one, which goes on there when its lease ends', async () => {
  let died = () => {};
  const dies = new Promise<void>((resolve) => {
    died = resolve;
  });
  const dead = await process({
    async erasePage(user, after, signal) {
      if (after === null) return twoPages(user, after, signal);
      died();
      return new Promise(() => {});
    },
  });
  dead.start();
  await begin(dead);
  await dies;
  running.pop();
  const early = await process();
  early.start();
  await early.stop();
  expect(pages).toEqual([null]);
  later(10 * 60_000);
  (await process()).start();
  await passIs('done');
  expect(pages).toEqual([null, '1', null, '1']);
});

test.each<[string, Given]>([
  ['a page that fails', { erasePage: () => Promise.reject(new Error('no database')) }],
  ['an end that cannot be told', { publish: () => Promise.reject(new Error('no broker')) }],
])('%s is tried again', async (_fault, given) => {
  const failing = await process(given);
  failing.start();
  await begin(failing);
  await eventually(async () => expect((await record())?.['dueAt'].getTime()).toBe(now.getTime() + 5_000));
  await failing.stop();
  expect(published).toEqual([]);
  later(5_000);
  (await process()).start();
  await passIs('done');
  expect(published).toHaveLength(1);
});

test('told again after a restore, it is done again; and all is told to identity, if that was restored', async () => {
  const erasures = await process();
  erasures.start();
  const userId = newId();
  await begin(erasures, userId);
  await passIs('done');
  await begin(erasures, userId);
  await eventually(() => expect(published).toHaveLength(2));
  const { events, next } = await erasures.publishAgain(null);
  expect([events.map(({ type, subject }) => [type, subject]), next]).toEqual([[[userErased.type, userId]], null]);
  expect((events[0] as { data?: unknown }).data).toMatchObject({ user: { id: userId, first_name: 'Erased' } });
  expect((await erasures.publishAgain(userId)).events).toEqual([]);
});
