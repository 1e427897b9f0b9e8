import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testInfra, testNamespace } from '@app/testing';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type Binary, MongoClient } from 'mongodb';
import { createStorage, type Storage } from '../../index.ts';
import { newKey } from '../../storage.ts';
import { startS3Server } from './s3-server.ts';

/** A storage over its real backend, empty at first, and inspection of the backend itself. */
export type Backend = {
  storage: Storage;
  /** Traces of uploads that are not files: chunks, temporary files, parts. */
  traces(): Promise<number>;
  /** Leaves what a process leaves that dies in the middle of an upload. */
  crashMidway(): Promise<void>;
  /** What readers hold open: cursors, file handles, connections. */
  held(): Promise<number>;
  close(): Promise<void>;
};

export const backends: [name: string, open: () => Promise<Backend>][] = [
  ['GridFS', openGridFs],
  ['a folder', openFolder],
  ['S3', openS3],
];

export async function openGridFs(): Promise<Backend & { loseTheEndOf(key: string): Promise<void> }> {
  const url = testInfra().mongodbUrl;
  const database = `${testNamespace()}storage`;
  const storage = createStorage({ url, database });
  const client = await new MongoClient(url).connect();
  const files = client.db(database).collection<{ _id: string }>('fs.files');
  const chunks = client.db(database).collection<{ files_id: string; n: number; data: Binary }>('fs.chunks');

  return {
    storage,
    async traces() {
      const known = (await files.find({ unfinished: { $ne: true } }).toArray()).map(({ _id }) => _id);
      const unfinished = await files.countDocuments({ unfinished: true });
      return unfinished + (await chunks.countDocuments({ files_id: { $nin: known } }));
    },
    async crashMidway() {
      const _id = newKey();
      await files.insertOne({ _id, length: 0, uploadDate: new Date(), unfinished: true } as { _id: string });
      await chunks.insertOne({ files_id: _id, n: 0, data: Buffer.alloc(10) as unknown as Binary });
    },
    async held() {
      const stages = [{ $currentOp: { idleCursors: true } }, { $match: { ns: `${database}.fs.chunks` } }];
      return (await client.db('admin').aggregate(stages).toArray()).length;
    },
    async loseTheEndOf(key) {
      await chunks.deleteMany({ files_id: key, n: { $gte: 5 } });
    },
    async close() {
      await storage.close();
      await client.db(database).dropDatabase();
      await client.close();
    },
  };
}

async function openFolder(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'storage with a space-'));
  const storage = createStorage({ url: pathToFileURL(folder).href });
  const incoming = join(folder, 'incoming');
  return {
    storage,
    traces: async () => (await readdir(incoming)).length,
    crashMidway: () => writeFile(join(incoming, newKey()), 'half'),
    async held() {
      const handles = await readdir('/proc/self/fd').catch(() => []);
      const paths = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')));
      return paths.filter((path) => path.startsWith(folder)).length;
    },
    async close() {
      await storage.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** On S3_TEST_URL, an empty bucket of any store, if that is set; else on a server of its own. */
async function openS3(): Promise<Backend> {
  const given = process.env['S3_TEST_URL'];
  const server = given ? { url: given, underWay: () => 0, stop: async () => undefined } : await startS3Server();
  const storage = createStorage({ url: server.url });
  const { username, password, host, pathname } = new URL(server.url);
  const Bucket = pathname.slice(1);
  const client = new S3Client({
    endpoint: `http://${host}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: username, secretAccessKey: password },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  return {
    storage,
    traces: async () => (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.length ?? 0,
    async crashMidway() {
      const Key = newKey();
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: Buffer.alloc(10) }));
    },
    held: async () => server.underWay(),
    async close() {
      await storage.close();
      client.destroy();
      await server.stop();
    },
  };
}
