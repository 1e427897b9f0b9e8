import { request as httpRequest } from 'node:http';
import { aCaller, signAs } from '@app/testing';
import { aThing, noThing, startWeb } from '../web.ts';

let web: Awaited<ReturnType<typeof startWeb>>;
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.close());

let number = 0;
const newKey = () => `key-${number++}`;
const as = aCaller();
const keyed = (key: string) => ({ 'idempotency-key': key });
const body = { title: 'a' };

test.each([
  ['with a body', '/things', body, 201],
  ['without a body', `/ts/things/${aThing}/touch`, undefined, 204],
])('a repeated POST gets the same answer %s, marked as such', async (_what, path, sent, status) => {
  const headers = keyed(newKey());
  const first = await web.call('POST', path, { as, body: sent, headers });
  const again = await web.call('POST', path, { as, body: sent, headers });
  expect([first.status, again.status, again.text]).toEqual([status, status, first.text]);
  expect([first, again].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  // The handler answers the id of its request: it did not run again.
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
});

test.each([
  ['another body', '/things', { title: 'b', size: 1 }, 422],
  ['a body with one field less', '/things', { title: 'a' }, 422],
  ['another path', `/ts/things/${aThing}/touch`, {}, 422],
  ['a query', '/things?dry_run=true', { title: 'a', size: 1 }, 422],
  ['the same fields in another order', '/things', { size: 1, title: 'a' }, 201],
])('the same key with %s', async (_what, path, other, expected) => {
  const headers = keyed(newKey());
  await web.call('POST', '/things', { as, body: { title: 'a', size: 1 }, headers });
  const { status, body: answer } = await web.call('POST', path, { as, body: other, headers });
  expect([status, answer['code']]).toEqual([expected, expected === 422 ? 'idempotency_key_reused' : undefined]);
});

test.each([
  ['another company', aCaller()],
  ['another user of the company', aCaller({ companyId: as.companyId })],
  ['an API token of the same user', { ...as, via: 'token' as const }],
])('%s has keys of its own', async (_who, other) => {
  const headers = keyed(newKey());
  const first = await web.call('POST', '/things', { as, body, headers });
  const second = await web.call('POST', '/things', { as: other, body: { title: 'b' }, headers });
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.headers.get('idempotent-replayed')).toBeNull();
});

test('a stored answer is for those alone who may ask for it', async () => {
  const headers = keyed(newKey());
  await web.call('POST', '/things', { as, body, headers });
  const now = { ...as, permissions: [] };
  expect((await web.call('POST', '/things', { as: now, body, headers })).status).toBe(403);
  expect((await web.call('POST', '/things', { as: null, body, headers })).status).toBe(401);
});

test.each([
  ['empty', ''],
  ['of 256 characters', 'k'.repeat(256)],
  ['with a tab inside', 'a\tb'],
  ['with a letter beyond ASCII', 'clé'],
])('a key %s is refused with the reason', async (_what, key) => {
  const { status, body: answer } = await web.call('POST', '/things', { as, body, headers: keyed(key) });
  expect([status, answer['code']]).toEqual([422, 'idempotency_key_invalid']);
  expect(answer['error']).toContain('1 to 255 printable ASCII characters');
});

test.each([['k'], ['k'.repeat(255)], ['a b, "c" $d {e}']])('a key may be %s', async (key) => {
  const answers = [1, 2].map(() => web.call('POST', '/things', { as, body, headers: keyed(`${key}`) }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toContain(201);
});

test('a key that is sent twice is refused, also if both are the same', async () => {
  const { authorization } = await signAs(as);
  const raw = ['authorization', authorization, 'host', 'x', 'idempotency-key', 'k', 'Idempotency-Key', 'k'];
  const status = await new Promise((resolve, reject) => {
    const sent = httpRequest({ port: web.port, method: 'POST', path: '/things', headers: raw as never });
    sent.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    sent.end();
  });
  expect(status).toBe(422);
});

test.each([
  ['GET', `/things/${aThing}`, 200],
  ['PUT', `/things/${aThing}`, 409],
  ['DELETE', `/things/${aThing}/parts/${noThing}`, 204],
])('%s ignores the header, whatever it says', async (method, path, expected) => {
  const sent = method === 'PUT' ? { body } : {};
  const answers = [1, 2].map(() => web.call(method, path, { as, ...sent, headers: keyed('é'.repeat(300)) }));
  for (const { status, headers } of await Promise.all(answers)) {
    expect([status, headers.get('idempotent-replayed')]).toEqual([expected, null]);
  }
});

test('without the header no request of the database is made; with it two, and one to repeat', async () => {
  const { db } = web.connection;
  await db?.command({ profile: 2 });
  const made = async () => {
    const found = web.connection.collection('system.profile').find({ op: { $in: ['command', 'update', 'query'] } });
    const all = await found.toArray();
    return all.filter(({ ns }) => !String(ns).endsWith('system.profile') && !String(ns).endsWith('$cmd')).length;
  };
  const counts: number[] = [];
  const headers = keyed(newKey());
  for (const given of [{}, headers, headers]) {
    const before = await made();
    await web.call('POST', '/things', { as, body, headers: given });
    counts.push((await made()) - before);
  }
  await db?.command({ profile: 0 });
  expect(counts).toEqual([0, 2, 1]);
});

test('a handler gets a protected write with the header alone', async () => {
  const answers = [keyed(newKey()), {}].map((headers) => web.call('POST', '/things', { as, body, headers }));
  expect((await Promise.all(answers)).map((answer) => answer.body['isProtected'])).toEqual([true, false]);
});

test('operations without a caller ignore the header', async () => {
  const headers = keyed(newKey());
  const answers = [200, 202].map((status) => web.call('POST', '/answers', { as: null, body: { status }, headers }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 202]);
});
