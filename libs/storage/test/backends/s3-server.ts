import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { closeNow } from '@app/testing';

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

const bucket = 'documents';

/**
 * An S3-compatible server with one empty bucket. s3rver neither lists nor aborts multipart uploads: these two operations
 * are answered here, on its files. It knows who signed, but gets the signature of requests to a bucket wrong.
 */
export async function startS3Server() {
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  const s3rver = new S3rver({
    directory,
    silent: true,
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: bucket }],
  });
  await s3rver.configureBuckets();
  const handle = s3rver.callback();
  let underWay = 0;
  const reads = { bytes: 0, ahead: 0, mostAhead: 0 };

  const listener: RequestListener = (req, res) => {
    underWay += 1;
    res.once('close', () => {
      underWay -= 1;
    });
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://s3');
    const uploads = join(directory, bucket, '._S3rver_uploads');
    const uploadId = searchParams.get('uploadId');
    if (req.method === 'DELETE' && uploadId) return void abort(join(uploads, uploadId), res);
    if (req.method === 'GET' && searchParams.has('uploads')) return void list(uploads, searchParams.get('prefix'), res);
    const isRead = req.method === 'GET' && pathname.length > `/${bucket}/`.length;
    if (req.method === 'PUT') reads.ahead -= Number(req.headers['content-length'] ?? 0);
    res.once('finish', () => {
      if (!isRead) return;
      const length = Number(res.getHeader('content-length') ?? 0);
      reads.bytes += length;
      reads.ahead += length;
      reads.mostAhead = Math.max(reads.mostAhead, reads.ahead);
    });
    return handle(req, res);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${(server.address() as AddressInfo).port}/${bucket}?tls=false`,
    /** Requests that are not answered yet. */
    underWay: (): number => underWay,
    /**
     * From now on counts the bytes of files that were read, and by how many, at most, reading was
     * ahead of writing.
     */
    watchReads(): () => { bytes: number; mostAhead: number } {
      Object.assign(reads, { bytes: 0, ahead: 0, mostAhead: 0 });
      return () => reads;
    },
    async stop(): Promise<void> {
      await closeNow(server);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function abort(upload: string, res: ServerResponse): Promise<void> {
  await rm(upload, { recursive: true, force: true });
  res.writeHead(204).end();
}

async function list(uploads: string, prefix: string | null, res: ServerResponse): Promise<void> {
  const entries: string[] = [];
  for (const id of await readdir(uploads).catch(() => [])) {
    const known = await Promise.all([readFile(join(uploads, id, 'key'), 'utf8'), stat(join(uploads, id))]).catch(
      () => null,
    );
    // An upload that is being made, or was aborted in between, has no key yet: it is not listed.
    if (!known) continue;
    const [key, { mtime }] = known;
    if (!key.startsWith(prefix ?? '')) continue;
    entries.push(
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${mtime.toISOString()}</Initiated></Upload>`,
    );
  }
  res.setHeader('Content-Type', 'application/xml');
  res.end(
    `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListMultipartUploadsResult>`,
  );
}
