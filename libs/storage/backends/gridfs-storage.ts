import { addAbortSignal, Readable } from 'node:stream';
import { type Logger, lasting, withTimeout } from '@app/runtime';
import { Binary, type Collection, type Db, MongoClient } from 'mongodb';
import { type ByteRange, fileNotFound, isKey, newKey, type Storage, type StoredFile } from '../storage.ts';
import { chunksOf, type Peeked, peek } from './chunks.ts';
import { memoizeSuccess } from './memoize-success.ts';

type FileDocument = {
  _id: string;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
  metadata: { type: string };
  /** The whole content of a small file; a large one has chunks. */
  content?: Binary;
  /** True while the file is written or removed: it does not exist for readers then. */
  unfinished?: boolean;
};
type ChunkDocument = { files_id: string; n: number; data: Binary };
type Bucket = { files: Collection<FileDocument>; chunks: Collection<ChunkDocument> };

function bucketOf(db: Db): Bucket {
  return { files: db.collection('fs.files'), chunks: db.collection('fs.chunks') };
}

async function makeIndexes({ files, chunks }: Bucket): Promise<void> {
  await files.createIndex({ uploadDate: 1 });
  await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });
}

type GridFsOptions = { url: string; database?: string; logger?: Logger };

/** A file up to this size is one document: one insert, one query, and no partial state. */
const smallBytes = 64 * 1024;
const chunkBytes = 512 * 1024;
/** Chunks read at a time; the server's default would be 16 MB, most of a file. */
const chunksPerBatch = 2;

/**
 * Files in MongoDB: large ones in the GridFS format (collections `fs.files` and `fs.chunks`), readable by its tools; small ones
 * with their content in `fs.files`. Not with the driver's streams, which keep their cursor when destroyed, read 16 MB ahead, and
 * cannot be aborted once their end has failed.
 */
export function createGridFsStorage({ url, database, logger }: GridFsOptions): Storage {
  const client = new MongoClient(url, {
    maxPoolSize: 20,
    // An option would override the one in the url.
    ...(/[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS: 10_000 }),
    ...lasting,
  });
  client.on('error', (error) => logger?.error('file storage failed', { error }));
  const db = client.db(database);
  const bucket = bucketOf(db);
  const indexed = memoizeSuccess(() => makeIndexes(bucket));

  return {
    async put(content, options) {
      await indexed();
      return write(bucket, content, options);
    },
    async get(key, range) {
      const file = isKey(key) ? await bucket.files.findOne(finished(key)) : null;
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
  bucket: Bucket,
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
    await bucket.files.insertOne(small);
    return stored(small);
  } catch (error) {
    content.destroy();
    // No insert is running any more, so nothing is added after this. If an outage prevents the removal, the file's document stays
    // for `list` to find.
    await remove(bucket, key).catch(() => undefined);
    throw error;
  }
}

async function writeChunks({ files, chunks }: Bucket, file: FileDocument, content: Peeked): Promise<StoredFile> {
  // Before the first chunk, so that what a crash leaves behind is listed and can be removed.
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

/** A large file is hidden first, then emptied, then deleted: nobody reads half of it, and after a crash it is still listed. */
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
  // `for await` closes the cursor when the reader leaves. The limit saves the round trip that finds the end of the cursor.
  const found = chunks.find(filter).sort({ n: 1 }).limit(expected);
  for await (const chunk of found.batchSize(Math.min(chunksPerBatch, expected))) {
    if (chunk.n !== n) break;
    const offset = n * file.chunkSize;
    yield Buffer.from(chunk.data.value()).subarray(Math.max(first - offset, 0), last - offset + 1);
    n += 1;
  }
  if (n <= filter.n.$lte) throw new Error(`chunk ${n} of the file ${file._id} is missing`);
}

const finished = (_id: string) => ({ _id, unfinished: { $ne: true } });

function stored({ _id, length, uploadDate }: FileDocument): StoredFile {
  return { key: _id, size: length, createdAt: uploadDate };
}
