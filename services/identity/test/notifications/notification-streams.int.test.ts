import { type IncomingMessage, request } from 'node:http';
import { notification } from '@app/contracts';
import { type Broker, toCloudEvents } from '@app/messaging';
import { eventually, signPrincipal, testBroker } from '@app/testing';
import { type Login, useAdmin, useIdentity } from '../identity.ts';

const limits = { user: 3, total: 5 };
const identity = useIdentity(() => ({ streams: { limits, heartbeatMs: 20 } }));
const admin = useAdmin(identity);
const opened: IncomingMessage[] = [];
let other: string;
let broker: Broker;

beforeAll(async () => {
  broker = await testBroker(identity.namespace);
  other = (await identity.replica({ works: false })).url;
});
afterEach(() => {
  for (const response of opened.splice(0)) response.destroy();
});
afterAll(() => broker.close());

type Opened = { response: IncomingMessage; text: () => string; unread: () => number[]; ended: () => boolean };

async function open({ principal, token }: Login, url = other): Promise<Opened> {
  const headers = { ...(await signPrincipal(principal)), 'x-session-token': token };
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    request(`${url}/notifications/stream`, { headers }, resolve).on('error', reject).end(),
  );
  opened.push(response);
  let text = '';
  let isEnded = false;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response.on('close', () => {
    isEnded = true;
  });
  response.on('error', () => undefined);
  const unread = () =>
    [...text.matchAll(/^event: notification\ndata: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data).unread);
  return { response, text: () => text, unread, ended: () => isEnded };
}
async function isOpen(login: Login): Promise<Opened> {
  const stream = await open(login);
  expect(stream.response.statusCode).toBe(200);
  await eventually(() => expect(stream.unread().length).toBeGreaterThan(0));
  return stream;
}
const refused = async (login: Login) => (await open(login)).response.statusCode;
const tell = ({ companyId, id }: { companyId: string; id: string }, key: string) => {
  const to = { user_ids: [id], place_ids: null };
  const given = { company_id: companyId, kind: 'mention' as const, key, to };
  return broker.publish(toCloudEvents('ticket', [notification(given, new Date())]));
};

test('every tab of a user follows how many are unread, whichever process they ask, and nobody else does', async () => {
  const stranger = await identity.admin();
  const [one, two, theirs] = [await isOpen(admin), await isOpen(admin), await isOpen(stranger)];
  expect(one.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  expect(one.text()).toMatch(/^retry: \d+\n\n/);
  expect([...new Set(one.unread())]).toEqual([0]);
  await tell(admin, 'one');
  for (const tab of [one, two]) await eventually(() => expect(tab.unread().at(-1)).toBe(1));
  await identity.as(admin, 'POST', '/notifications/read', { all: true });
  for (const tab of [one, two]) await eventually(() => expect(tab.unread().at(-1)).toBe(0));
  expect([...new Set(theirs.unread())]).toEqual([0]);
});

test('it counts what its user may read by now', async () => {
  const { id, email } = await identity.user(['tickets'], admin.companyId);
  const stream = await isOpen(await identity.logIn(email));
  await tell({ companyId: admin.companyId, id }, 'one');
  await eventually(() => expect(stream.unread().at(-1)).toBe(1));
  await identity.as(admin, 'PATCH', `/company/users/${id}`, { permissions: ['accounting'] });
  await eventually(() => expect(stream.unread().at(-1)).toBe(0));
});

test('a heartbeat keeps it open', async () => {
  const stream = await isOpen(admin);
  await eventually(() => expect(stream.text().match(/^:\n\n/gm)?.length).toBeGreaterThan(3));
  expect(stream.ended()).toBe(false);
});

test('it ends with its session alone', async () => {
  const second = await identity.logIn(admin.email);
  const [kept, ended] = [await isOpen(admin), await isOpen(second)];
  await identity.as(second, 'POST', '/auth/logout');
  await eventually(() => expect(ended.ended()).toBe(true));
  await tell(admin, 'one');
  await eventually(() => expect(kept.unread().at(-1)).toBe(1));
  expect(await refused(second)).toBe(401);
});

test('it ends when the user is deactivated', async () => {
  const { id, email } = await identity.user(['tickets'], admin.companyId);
  const stream = await isOpen({ ...(await identity.logIn(email)) });
  await identity.as(admin, 'PATCH', `/company/users/${id}`, { active: false });
  await eventually(() => expect(stream.ended()).toBe(true));
});

test('it ends with a session that nobody uses any more, and lasts with one that is used', async () => {
  const second = await identity.logIn(admin.email);
  const [kept, ended] = [await isOpen(admin), await isOpen(second)];
  const began = identity.clock.now;
  try {
    identity.clock.now = new Date(began.getTime() + 3_600_000);
    expect(await identity.isValid(admin.token)).toBe(true);
    identity.clock.now = new Date(began.getTime() + 2.5 * 3_600_000);
    await eventually(() => expect(ended.ended()).toBe(true));
    expect(kept.ended()).toBe(false);
  } finally {
    identity.clock.now = began;
  }
});

test('a user has a few of them, and a process a bounded number; one that is closed makes room', async () => {
  const [first] = [await isOpen(admin), await isOpen(admin), await isOpen(admin)];
  expect(await refused(admin)).toBe(429);
  const others = [await identity.admin(), await identity.admin()];
  for (const login of others) await isOpen(login);
  expect(await refused(await identity.admin())).toBe(503);
  first?.response.destroy();
  await eventually(async () => expect(await refused(admin)).toBe(200));
});

test('without a session there is none', async () => {
  expect(await refused({ ...admin, token: 'x' })).toBe(401);
});
