import { testLogger } from '@app/testing';
import { createThumbnails, thumbnailKey } from '../../pictures/thumbnails.ts';
import { type Client, newTicket, outcome, pdf, usePlatform } from '../platform.ts';
import { aJpeg, aPng, bomb, heldUpright, seen, twoFrames } from './samples.ts';

const platform = usePlatform();
let client: Client;
let ticket: string;

beforeAll(async () => {
  client = platform.as();
  ticket = await newTicket(client);
});

type Kind = 'documents' | 'reports';

/** Adds a file to the ticket; gives the path of its thumbnail, and its key. */
async function add(content: Buffer, { by = client, kind = 'documents' as Kind, fields = {} } = {}) {
  const added = await by.upload(`${ticket}/${kind}`, fields, { name: 'photo', content });
  expect(added.status).toBe(201);
  const [{ s3_key: key }] = Object.values(added.data) as [{ s3_key: string }];
  return { key, thumbnail: `${ticket}/documents/thumbnail?s3_key=${key}` };
}

/** How often `work` has the storage read or write. */
async function counted(method: 'get' | 'put', work: () => Promise<unknown>): Promise<number> {
  const calls = jest.spyOn(platform.storage, method);
  await work();
  const count = calls.mock.calls.length;
  calls.mockRestore();
  return count;
}

test.each([
  ['a JPEG', aJpeg(1200, 800), [480, 320], 'rbbr'],
  ['a PNG', aPng(600, 1200), [240, 480], 'rbbr'],
  ['a picture that is small already', aPng(64, 48), [64, 48], 'rbbr'],
  ['a photo of a camera that was held upright', heldUpright(aJpeg(1200, 800)), [320, 480], 'rrbb'],
] as const)('%s has a thumbnail: a WebP, upright, within 480 pixels', async (_what, content, size, corners) => {
  const { thumbnail } = await add(content);
  const { status, headers, data } = await client.read(thumbnail);
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'image/webp', 'private']);
  expect(await seen(data)).toEqual({ size, corners, format: 'webp' });
  expect(data.includes('Exif')).toBe(false);
  expect((await client.read(thumbnail, { 'if-none-match': headers['etag'] })).status).toBe(304);
});

test('a report has one too', async () => {
  const { thumbnail } = await add(aJpeg(900, 900), { kind: 'reports' });
  expect((await client.read(thumbnail)).status).toBe(200);
});

test('it is made once, however many ask for it at the same time', async () => {
  const { thumbnail } = await add(aJpeg(1000, 1000));
  const ask = async () => expect((await client.read(thumbnail)).status).toBe(200);
  expect(await counted('put', () => Promise.all(Array.from({ length: 10 }, ask)))).toBe(1);
  expect(await counted('put', ask)).toBe(0);
});

const photo = aJpeg(1000, 700);
test.each([
  ['a PDF', pdf.content],
  ['a PNG of a few kilobytes with 225 million pixels', bomb(15_000)],
  ['a JPEG that was cut off', photo.subarray(0, photo.length / 2)],
  ['a PNG that was cut off', aPng(300, 300).subarray(0, 400)],
  ['a JPEG with a second frame that is larger than the first', twoFrames(photo)],
  ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xd9, 0, 0, 0, 0, 0, 0])],
])('%s has none; it is tried once, and can be downloaded', async (_what, content) => {
  const { key, thumbnail } = await add(content);
  expect(outcome(await client.get(thumbnail))).toEqual([404, 'thumbnail_not_found']);
  const again = await counted('get', async () =>
    expect(outcome(await client.get(thumbnail))).toEqual([404, 'thumbnail_not_found']),
  );
  expect(again).toBe(0);
  expect((await client.get(`${ticket}/documents/download-link?s3_key=${key}`)).status).toBe(200);
});

test('who may read the file sees its thumbnail, and nobody else', async () => {
  const [contractor, stranger] = [await platform.contractorOf(client), platform.as()];
  expect((await client.post(`${ticket}/assign`, { contractor_id: contractor.id })).status).toBe(200);
  const [shared, internal] = [await add(photo), await add(photo, { fields: { visibility: 'internal' } })];
  const asked = async (by: Client, { thumbnail }: { thumbnail: string }) => outcome(await by.get(thumbnail));
  expect(await asked(contractor, shared)).toEqual([200, undefined]);
  expect(await asked(contractor, internal)).toEqual([404, 'document_not_found']);
  expect(await asked(client, internal)).toEqual([200, undefined]);
  for (const file of [shared, internal]) expect(await asked(stranger, file)).toEqual([404, 'ticket_not_found']);
  // The key of a thumbnail opens nothing by itself.
  const own = { thumbnail: `${ticket}/documents/thumbnail?s3_key=${thumbnailKey(shared.key)}` };
  expect(await asked(client, own)).toEqual([404, 'document_not_found']);
});

test('a picture that takes too long is given up, and the next one has a thumbnail', async () => {
  const { storage } = platform;
  const [slow, next] = [await add(aJpeg(4000, 3000)), await add(aPng(40, 30))];
  const file = (key: string, content: number) => ({ key, name: 'photo', type: 'image/jpeg', size: content, hash: '' });
  const hurried = createThumbnails({ storage, logger: testLogger(), timeoutMs: 1 });
  const { size = 0 } = (await storage.stat(slow.key)) ?? {};
  await expect(hurried.of(file(slow.key, size), 'company')).rejects.toMatchObject({ code: 'thumbnail_not_found' });
  await hurried.close();
  expect((await client.read(next.thumbnail)).status).toBe(200);
  expect(outcome(await client.get(slow.thumbnail))).toEqual([404, 'thumbnail_not_found']);
});
