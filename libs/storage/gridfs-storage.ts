import { addAbortSignal, Readable } from 'node:stream';
import { createBatchedInsert, createBatcher, type Logger, withTimeout } from '@app/runtime';
import { Binary, type Condition, MongoClient } from 'mongodb';
import type { Collection } from 'mongoose';
import { chunksOf, type Peeked, peek } from './chunks.ts';
import { type Bucket, bucketOf, type FileDocument, makeIndexes } from './gridfs-bucket.ts';
import { memoizeSuccess } from './memoize-success.ts';
import { type ByteRange, fileNotFound, isKey, newKey, type Storage, type StoredFile } from './storage.ts';

type GridFsOptions = { url: string; database?: string; logger?: Logger };
type Parts = { bucket: Bucket; insert: (file: FileDocument) => Promise<void> };

/** A file of no more is one document: one insert, one question, and it is there as a whole or not at all. */
const smallBytes = 64 * 1024;
const chunkBytes = 512 * 1024;
/** Chunks asked of MongoDB at a time; the server's own choice would be 16 MB, most of a file. */
const chunksPerBatch = 2;
/** Files asked for at once; small ones come with their content. */
const filesPerBatch = 100;
const pauseMs = 5;

/**
 * Files in MongoDB: large ones in the GridFS format (collections `fs.files` and `fs.chunks`), so that its tools read them;
 * of small ones `fs.files` holds the bytes too. The driver's streams are not used: they keep their cursor when destroyed,
 * read 16 MB ahead, and can't be aborted once their end has failed.
 */
export function createGridFsStorage({ url, database, logger }: GridFsOptions): Storage {
  const client = new MongoClient(url, {
    maxPoolSize: 20,
    // An option beside the url would overrule what stands in it.
    ...(/[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS: 10_000 }),
    writeConcern: { w: 'majority', journal: true },
  });
  client.on('error', (error) => logger?.error('file storage failed', { error }));
  const db = client.db(database);
  const bucket = bucketOf(db);
  const indexed = memoizeSuccess(() => makeIndexes(bucket));
  // What this asks of a collection is the driver's own.
  const insert = createBatchedInsert<FileDocument>(bucket.files as unknown as Collection);
  const batches = createBatcher({
    maxBatch: filesPerBatch,
    maxDelayMs: pauseMs,
    run: (keys: string[]) => findAll(bucket, keys),
  });

  return {
    async put(content, options) {
      await indexed();
      return write({ bucket, insert }, content, options);
    },
    async get(key, range) {
      const file = isKey(key) ? await batches.add(key) : null;
      if (!file) throw fileNotFound();
      const bytes = file.content ? [part(file.content, range)] : read(bucket, file, range);
      return Readable.from(bytes, { objectMode: false, highWaterMark: chunkBytes });
    },
    async stat(key) {
      const found = isKey(key) && (await bucket.files.findOne(finished(key), { projection: { content: 0 } }));
      return found ? stored(found) : null;
    },
    remove: (key) => remove(bucket, key),
    async *list({ olderThan }) {
      const older = bucket.files
        .find({ uploadDate: { $lt: olderThan } }, { projection: { content: 0 } })
        .sort({ uploadDate: 1 })
        .batchSize(500);
      for await (const file of older) yield stored(file);
    },
    async ready() {
      await withTimeout(db.command({ ping: 1 }), { ms: 2_000, what: 'the storage' });
    },
    close: () => client.close(),
  };
}

async function write(
  { bucket, insert }: Parts,
  content: Readable,
  { under: key = newKey(), name, type, signal }: Parameters<Storage['put']>[1],
): Promise<StoredFile> {
  const file = { _id: key, chunkSize: chunkBytes, uploadDate: new Date(), filename: name, metadata: { type } };
  try {
    signal?.throwIfAborted();
    const beginning = await peek(signal ? addAbortSignal(signal, content) : content, smallBytes);
    if (beginning.rest) return await writeChunks(bucket, { ...file, length: 0 }, beginning);
    const bytes = Buffer.concat(beginning.head);
    const small = { ...file, length: bytes.length, content: new Binary(bytes) };
    await insert(small);
    return stored(small);
  } catch (error) {
    content.destroy();
    // No insert is under way any more: nothing can be added after this. What an outage keeps from being removed has its
    // document, for `list`.
    await remove(bucket, key).catch(() => undefined);
    throw error;
  }
}

async function writeChunks({ files, chunks }: Bucket, file: FileDocument, content: Peeked): Promise<StoredFile> {
  // Announced before its first chunk: what a crash leaves behind can be listed and removed.
  await files.insertOne({ ...file, unfinished: true });
  let n = 0;
  let length = 0;
  for await (const data of chunksOf(content, chunkBytes)) {
    await chunks.insertOne({ files_id: file._id, n, data: new Binary(data) });
    length += data.length;
    n += 1;
  }
  const { matchedCount } = await files.updateOne(
    { _id: file._id, unfinished: true },
    { $set: { length }, $unset: { unfinished: true } },
  );
  if (matchedCount === 0) throw new Error(`the upload ${file._id} was removed before its end`);
  return stored({ ...file, length });
}

/** Of a larger file: hidden first, emptied, then deleted. Nobody reads half a file, and a crash between leaves something to find. */
async function remove({ files, chunks }: Bucket, key: string): Promise<void> {
  if (!isKey(key)) return;
  const { deletedCount } = await files.deleteOne({ _id: key, content: { $exists: true } });
  if (deletedCount === 1) return;
  const { matchedCount } = await files.updateOne({ _id: key }, { $set: { unfinished: true } });
  if (matchedCount === 0) return;
  await chunks.deleteMany({ files_id: key });
  await files.deleteOne({ _id: key });
}

function part(content: Binary, range?: ByteRange): Buffer {
  return Buffer.from(content.value()).subarray(range?.start ?? 0, (range?.end ?? content.length()) + 1);
}

async function* read({ chunks }: Bucket, file: FileDocument, range?: ByteRange): AsyncGenerator<Buffer> {
  const first = range?.start ?? 0;
  const last = Math.min(range?.end ?? file.length - 1, file.length - 1);
  if (first > last) return;
  let n = Math.floor(first / file.chunkSize);
  const filter = { files_id: file._id, n: { $gte: n, $lte: Math.floor(last / file.chunkSize) } };
  const expected = filter.n.$lte - n + 1;
  // `for await` closes the cursor when the reader goes away.
  // With its limit reached the cursor is at its end: a file of one chunk is not asked for a second.
  const found = chunks.find(filter).sort({ n: 1 }).limit(expected);
  for await (const chunk of found.batchSize(Math.min(chunksPerBatch, expected))) {
    if (chunk.n !== n) break;
    const offset = n * file.chunkSize;
    yield Buffer.from(chunk.data.value()).subarray(Math.max(first - offset, 0), last - offset + 1);
    n += 1;
  }
  if (n <= filter.n.$lte) throw new Error(`chunk ${n} of the file ${file._id} is missing`);
}

/** What is asked for at once is one question. */
async function findAll({ files }: Bucket, keys: string[]): Promise<(FileDocument | null)[]> {
  const found = await files
    .find(finished({ $in: [...new Set(keys)] }), { limit: keys.length, batchSize: keys.length })
    .toArray();
  const byKey = new Map(found.map((file) => [file._id, file]));
  return keys.map((key) => byKey.get(key) ?? null);
}

const finished = (_id: Condition<string>) => ({ _id, unfinished: { $ne: true } });

function stored({ _id, length, uploadDate }: FileDocument): StoredFile {
  return { key: _id, size: length, createdAt: uploadDate };
}
