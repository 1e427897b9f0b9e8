import { type Client, type Platform, startPlatform } from '../platform.ts';

let platform: Platform;
let client: Client;

beforeAll(async () => {
  platform = await startPlatform();
  client = platform.as();
});
afterAll(() => platform.stop());

test.each([
  ['locations', { name: 'x' }, { name: 'y' }],
  ['equipments', { name: 'x' }, { name: 'y' }],
  ['jobs', { name: 'x' }, { name: 'y' }],
  ['domains', { name: 'x' }, { name: 'y' }],
  ['custom-fields', { name: { fr: 'x', en: 'x' } }, { name: { fr: 'y', en: 'y' } }],
  ['contractors', { name: 'x' }, { name: 'y' }],
])('%s: a change of the version that was read, or 412; of two at once one', async (kind, body, change) => {
  const { data } = await client.post(`/api/v3.0/${kind}`, body);
  const path = `/api/v3.0/${kind}/${data._id ?? (Object.values(data)[0] as { _id: string })._id}`;
  const first = String((await client.get(path)).headers['etag']);
  const patch = (tag: string) => client.call('patch', path, change, { 'If-Match': tag });
  const both = await Promise.all([patch(first), patch(first)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  const second = both.find(({ status }) => status === 200)?.headers['etag'] as string;
  const read = await client.get(path);
  expect([read.headers['etag'], second === first]).toEqual([second, false]);
  expect(JSON.stringify(read.data)).not.toMatch(/"version"|"held"/);
  if (kind === 'contractors') return;
  expect((await client.call('delete', path, undefined, { 'If-Match': first })).data.code).toBe('precondition_failed');
  expect((await client.call('delete', path, undefined, { 'If-Match': second })).status).toBe(204);
});
