import { Readable } from 'node:stream';
import { inTime, type Logger } from '@app/runtime';
import { Binary, type Collection, MongoClient } from 'mongodb';
import { chunksOf } from './chunks.ts';
import { onceItSucceeds } from './once-it-succeeds.ts';
import { type ByteRange, fileNotFound, isKey, newKey, type Storage, type StoredFile } from './storage.ts';

type FileDocument = {
  _id: string;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
  metadata: { type: string };
  /** True from the first byte to the last, and again during removal: such a file does not exist for readers. */
  unfinished?: boolean;
};
type ChunkDocument = { files_id: string; n: number; data: Binary };
type Bucket = { files: Collection<FileDocument>; chunks: Collection<ChunkDocument> };

type GridFsOptions = { url: string; database?: string; logger?: Logger };

const chunkBytes = 512 * 1024;
/** Chunks asked of MongoDB at a time; the server's own choice would be 16 MB, most of a file. */
const chunksPerBatch = 2;

/**
 * Files in MongoDB, in the GridFS format (collections `fs.files` and `fs.chunks`), so that its tools read them. The
 * driver's streams are not used: they keep their cursor when destroyed, read 16 MB ahead, and can't be aborted once
 * their end has failed.
 */
export function createGridFsStorage({ url, database, logger }: GridFsOptions): Storage {
  const client = new MongoClient(url, {
    maxPoolSize: 20,
    serverSelectionTimeoutMS: 10_000,
    writeConcern: { w: 'majority', journal: true },
  });
  client.on('error', (error) => logger?.error('file storage failed', { error }));
  const db = client.db(database);
  const bucket: Bucket = { files: db.collection('fs.files'), chunks: db.collection('fs.chunks') };
  const indexed = onceItSucceeds(() => makeIndexes(bucket));

  return {
    async put(content, options) {
      await indexed();
      return write(bucket, content, options);
    },
    async get(key, range) {
      const file = await find(bucket, key);
      if (!file) throw fileNotFound();
      return Readable.from(read(bucket, file, range), { objectMode: false, highWaterMark: chunkBytes });
    },
    async stat(key) {
      const file = await find(bucket, key);
      return file && stored(file);
    },
    remove: (key) => remove(bucket, key),
    async *list({ olderThan }) {
      const older = bucket.files
        .find({ uploadDate: { $lt: olderThan } })
        .sort({ uploadDate: 1 })
        .batchSize(500);
      for await (const file of older) yield stored(file);
    },
    async ready() {
      await inTime(db.command({ ping: 1 }), { ms: 2_000, what: 'the storage' });
    },
    close: () => client.close(),
  };
}

async function write(
  { files, chunks }: Bucket,
  content: Readable,
  { under: key = newKey(), name, type, signal }: Parameters<Storage['put']>[1],
): Promise<StoredFile> {
  const file = {
    _id: key,
    length: 0,
    chunkSize: chunkBytes,
    uploadDate: new Date(),
    filename: name,
    metadata: { type },
  };
  try {
    // Announced before its first chunk: what a crash leaves behind can be listed and removed.
    await files.insertOne({ ...file, unfinished: true });
    let n = 0;
    for await (const data of chunksOf(content, { bytes: chunkBytes, ...(signal ? { signal } : {}) })) {
      await chunks.insertOne({ files_id: file._id, n, data: new Binary(data) });
      file.length += data.length;
      n += 1;
    }
    const { matchedCount } = await files.updateOne(
      { _id: file._id, unfinished: true },
      { $set: { length: file.length }, $unset: { unfinished: true } },
    );
    if (matchedCount === 0) throw new Error(`the upload ${file._id} was removed before its end`);
    return stored(file);
  } catch (error) {
    content.destroy();
    // No insert is under way any more: nothing can be added after this. What an outage keeps from being removed stays
    // marked as unfinished, for `list`.
    await remove({ files, chunks }, file._id).catch(() => undefined);
    throw error;
  }
}

/** Hidden first, emptied, then deleted: nobody reads half a file, and a crash between leaves something to find. */
async function remove({ files, chunks }: Bucket, key: string): Promise<void> {
  if (!isKey(key)) return;
  const { matchedCount } = await files.updateOne({ _id: key }, { $set: { unfinished: true } });
  if (matchedCount === 0) return;
  await chunks.deleteMany({ files_id: key });
  await files.deleteOne({ _id: key });
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

async function find({ files }: Bucket, key: string): Promise<FileDocument | null> {
  return isKey(key) ? files.findOne({ _id: key, unfinished: { $ne: true } }) : null;
}

function stored({ _id, length, uploadDate }: FileDocument): StoredFile {
  return { key: _id, size: length, createdAt: uploadDate };
}

async function makeIndexes({ files, chunks }: Bucket): Promise<void> {
  await files.createIndex({ uploadDate: 1 });
  await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });
}
