import { aThing, startWeb } from '../web.ts';

let web: Awaited<ReturnType<typeof startWeb>>;
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.close());

type Fault = { path: string; message: string };

async function refused(text: string): Promise<{ faults: Fault[]; bytes: number }> {
  const answer = await web.call('POST', '/things', { body: text });
  expect([answer.status, answer.body['message']]).toEqual([422, 'Validation error']);
  return { faults: answer.body['errors'] as Fault[], bytes: Buffer.byteLength(answer.text) };
}

const keys = (count: number, name = (n: number) => `k${n}`) =>
  Array.from({ length: count }, (_, n) => `${JSON.stringify(name(n))}:1`).join(',');

test('at most 100 faults are reported, the last of which says how many more there are', async () => {
  const { faults } = await refused(`{"title":"x",${keys(900)}}`);
  expect(faults).toHaveLength(100);
  expect(faults[98]).toEqual({ path: 'k98', message: 'k98 is not allowed' });
  expect(faults[99]).toEqual({ path: '', message: '801 more faults are not named here' });
});

test('100 faults are all named', async () => {
  const { faults } = await refused(`{"title":"x",${keys(100)}}`);
  expect(faults.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, n) => `k${n}`));
});

test.each([
  ['a key of 900 KB', 1, 'x'.repeat(900_000)],
  ['900 long keys', 900, 'x'.repeat(1_000)],
  ['keys that JSON escapes', 150, '\u0001'.repeat(700)],
])('the answer to %s has 32 KB at most', async (_what, count, filler) => {
  const { faults, bytes } = await refused(`{"title":"x",${keys(count, (n) => `${n}${filler}`)}}`);
  expect(bytes).toBeLessThanOrEqual(32 * 1024);
  expect(faults[0]?.path).toHaveLength(200);
});

test.each([
  ['1,001 keys', `{${keys(1001)}}`, ''],
  ['1,001 items', `{"title":"x","location_ids":[${'1,'.repeat(1000)}1]}`, 'location_ids'],
  ['a list of 520,000 items', `[${'1,'.repeat(519_999)}1]`, ''],
  ['lists of lists, 100,000 in all', `{"location_ids":[${`[${'[],'.repeat(99)}[]],`.repeat(999)}[]]}`, ''],
  ['a body nested 300,000 deep', `{"title":${'['.repeat(300_000)}${']'.repeat(300_000)}}`, 'title'],
  ['a body nested 100,000 deep in objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'a'],
])('%s are refused by the first count alone', async (_what, text, path) => {
  const { faults } = await refused(text);
  expect(faults).toEqual([{ path, message: expect.stringMatching(/more than|deeper than/) }]);
});

test('1,000 keys and 1,000 items are looked at one by one', async () => {
  expect((await refused(`{${keys(1000)}}`)).faults).toHaveLength(100);
  const { faults } = await refused(`{"title":"x","location_ids":[${'1,'.repeat(999)}1]}`);
  expect(faults[0]).toEqual({ path: 'location_ids.0', message: 'location_ids[0] must be a string' });
});

test('for a query of many parameters at most 100 faults are reported too', async () => {
  const query = Array.from({ length: 900 }, (_, n) => `k${n}=1`).join('&');
  const { status, body } = await web.call('GET', `/things/${aThing}?${query}`);
  expect([status, (body['errors'] as Fault[]).length]).toEqual([422, 100]);
});
