import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '@app/testing';
import type { StoredFile } from '../../index.ts';
import { type ByteRange, newKey } from '../../storage.ts';
import { type Backend, backends } from './backends.ts';

const mebibyte = 1024 * 1024;
/** S3 gets a file in parts of 5 MiB. */
const twoParts = 6 * mebibyte + 7;
const pdf = { name: 'dévis n°1.pdf', type: 'application/pdf' };
const soon = () => new Date(Date.now() + 60_000);

/** Gives `bytes`, then fails, ends early, or never goes on. */
function broken(bytes: Buffer, then: 'fails' | 'ends early' | 'stalls'): Readable {
  const parts = [bytes.subarray(0, 100), bytes.subarray(100)];
  return new Readable({
    read() {
      const part = parts.shift();
      if (part) this.push(part);
      else if (then === 'fails') this.destroy(new Error('the sender failed'));
      else if (then === 'ends early') this.destroy();
    },
  });
}

async function listed({ storage }: Backend, olderThan = soon()): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for await (const file of storage.list({ olderThan })) files.push(file);
  return files;
}

describe.each(backends)('storage on %s', (_name, open) => {
  let backend: Backend;
  const put = (bytes: Buffer) => backend.storage.put(Readable.from([bytes]), pdf);

  beforeAll(async () => {
    backend = await open();
    await eventually(() => backend.storage.ready());
  });
  afterEach(async () => {
    for (const { key } of await listed(backend)) await backend.storage.remove(key);
  });
  afterAll(() => backend.close());

  test.each([0, 65_536, mebibyte + 1, twoParts])('reads back the %i bytes that were stored', async (size) => {
    const bytes = randomBytes(size);
    const before = Date.now();
    const file = await put(bytes);
    expect(file).toMatchObject({ key: expect.stringMatching(/^[\w-]{43}$/), size });
    expect(Math.abs(file.createdAt.getTime() - before)).toBeLessThan(10_000);
    expect(await backend.storage.stat(file.key)).toMatchObject({ key: file.key, size });
    expect((await buffer(await backend.storage.get(file.key))).equals(bytes)).toBe(true);
  });

  test.each<[string, number, ByteRange[]]>([
    [
      'a file of several chunks',
      3 * mebibyte,
      [
        { start: 0, end: 1 },
        { start: mebibyte - 1, end: mebibyte },
        { start: mebibyte, end: 2 * mebibyte - 1 },
        { start: 1, end: 3 * mebibyte - 2 },
        { start: 3 * mebibyte - 1 },
        { start: 5 },
      ],
    ],
    ['a small file', 30, [{ start: 0, end: 9 }, { start: 10, end: 19 }, { start: 20, end: 40 }, { start: 29 }]],
  ])('gives a range of %s, both ends included', async (_what, size, ranges) => {
    const bytes = randomBytes(size);
    const { key } = await put(bytes);
    for (const range of ranges) {
      const read = await buffer(await backend.storage.get(key, range));
      expect([range, read.equals(bytes.subarray(range.start, (range.end ?? size) + 1))]).toEqual([range, true]);
    }
  });

  test('stores and reads many files at once', async () => {
    const contents = Array.from({ length: 30 }, (_, index) => randomBytes(index % 3 === 0 ? 70_000 : 100 + index));
    const files = await Promise.all(contents.map(put));
    const read = await Promise.all(files.map(async ({ key }) => buffer(await backend.storage.get(key))));
    expect(read.map((bytes, index) => bytes.equals(contents[index] as Buffer))).toEqual(contents.map(() => true));
    const gone = backend.storage.get(newKey());
    const [found, missing] = await Promise.allSettled([backend.storage.get(files[0]?.key ?? ''), gone]);
    expect([found?.status, missing?.status]).toEqual(['fulfilled', 'rejected']);
    // A file that is never read stays open.
    if (found?.status === 'fulfilled') found.value.destroy();
  });

  test.each([newKey(), '', '..', '../../etc/passwd', `../${newKey()}`, 'a'.repeat(42), `${'a'.repeat(42)}/`, '\0'])(
    'knows no file under %j',
    async (key) => {
      await put(Buffer.from('%PDF-'));
      await expect(backend.storage.get(key)).rejects.toMatchObject({
        name: 'AppError',
        kind: 'not_found',
        code: 'file_not_found',
      });
      expect(await backend.storage.stat(key)).toBeNull();
      await backend.storage.remove(key);
      expect(await listed(backend)).toHaveLength(1);
    },
  );

  test('a file that was removed is gone', async () => {
    const { key } = await put(randomBytes(100));
    for (let time = 0; time < 2; time += 1) await backend.storage.remove(key);
    expect(await backend.storage.stat(key)).toBeNull();
    await expect(backend.storage.get(key)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test.each(['fails', 'ends early'] as const)('an upload whose sender %s leaves nothing', async (ending) => {
    const content = broken(randomBytes(twoParts), ending);
    const reason = ending === 'fails' ? { message: 'the sender failed' } : { code: 'ERR_STREAM_PREMATURE_CLOSE' };
    await expect(backend.storage.put(content, pdf)).rejects.toMatchObject(reason);
    expect([await listed(backend), await backend.traces()]).toEqual([[], 0]);
  });

  test('a running upload is no file yet; it can be aborted while its sender says nothing, and leaves nothing', async () => {
    const stop = new AbortController();
    const content = broken(randomBytes(twoParts), 'stalls');
    const putting = backend.storage.put(content, { ...pdf, signal: stop.signal });
    const key = await eventually(async () => (await listed(backend))[0]?.key ?? Promise.reject(new Error('not yet')));
    expect(await backend.storage.stat(key)).toBeNull();
    await expect(backend.storage.get(key)).rejects.toMatchObject({ kind: 'not_found' });
    await eventually(async () => expect(await backend.traces()).toBeGreaterThan(0));
    stop.abort();
    await expect(putting).rejects.toMatchObject({ name: 'AbortError' });
    expect(content.destroyed).toBe(true);
    expect([await listed(backend), await backend.traces()]).toEqual([[], 0]);
  });

  test('an upload aborted before its start stores nothing', async () => {
    const content = Readable.from([randomBytes(10)]);
    await expect(backend.storage.put(content, { ...pdf, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(content.destroyed).toBe(true);
    expect(await listed(backend)).toEqual([]);
  });

  test('what a crash left of an upload is listed, and can be removed', async () => {
    await put(randomBytes(10));
    await backend.crashMidway();
    expect(await backend.traces()).toBeGreaterThan(0);
    const files = await listed(backend);
    expect(files).toHaveLength(2);
    for (const { key } of files) if (!(await backend.storage.stat(key))) await backend.storage.remove(key);
    expect(await backend.traces()).toBe(0);
    expect(await listed(backend)).toHaveLength(1);
  });

  test('lists the files made before a time', async () => {
    const files = await Promise.all(Array.from({ length: 10 }, () => put(randomBytes(10))));
    const keys = files.map(({ key }) => key).sort();
    expect(new Set(keys).size).toBe(10);
    expect((await listed(backend)).map(({ key }) => key).sort()).toEqual(keys);
    expect(await listed(backend, new Date(Date.now() - 60_000))).toEqual([]);
  });

  test('a reader that stops early holds no resources', async () => {
    const { key } = await put(randomBytes(11 * mebibyte));
    const content = await backend.storage.get(key);
    for await (const part of content) if (part.length > 0) break;
    await eventually(async () => expect(await backend.held()).toBe(0));
  });

  test('a slow reader slows the storage down', async () => {
    const { key } = await put(randomBytes(20 * mebibyte));
    const before = await settledBuffers();
    const content = await backend.storage.get(key);
    let read = 0;
    for await (const part of content) {
      read += part.length;
      if (read % (5 * mebibyte) < part.length) {
        // Meanwhile a source that ignores its reader would run ahead as far.
        for await (const _part of await backend.storage.get(key));
        await eventually(() => expect(buffersInUse() - before).toBeLessThan(12 * mebibyte));
      }
    }
    expect(read).toBe(20 * mebibyte);
  });

  test('takes a file of any size in the same memory', async () => {
    const before = await settledBuffers();
    async function* parts() {
      for (let n = 0; n < 448; n += 1) {
        yield randomBytes(64 * 1024);
        if (n % 112 === 111) await eventually(() => expect(buffersInUse() - before).toBeLessThan(20 * mebibyte));
      }
    }
    const { size } = await backend.storage.put(Readable.from(parts(), { objectMode: false }), pdf);
    expect(size).toBe(28 * mebibyte);
  });
});

/**
 * Bytes held by live buffers: the collector runs first, so that this is what is in use, not what was. Their memory is freed by
 * threads of V8, some time after on a busy machine: what is still counted then goes, and what is held stays.
 */
function buffersInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

/** Resolves once nothing more is freed. */
async function settledBuffers(): Promise<number> {
  let last = buffersInUse();
  for (let same = 0; same < 1; ) {
    await setTimeout(20);
    const now = buffersInUse();
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}
