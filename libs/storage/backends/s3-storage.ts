import { addAbortSignal, Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { type ByteRange, fileNotFound, isKey, newKey, type Storage, type StoredFile } from '../storage.ts';
import { memoizeSuccess } from './memoize-success.ts';

type S3 = { sdk: typeof import('@aws-sdk/client-s3'); client: S3Client; bucket: string };

/**
 * Files in a bucket of any S3-compatible store: `s3://key:secret@host:port/bucket?region=eu-west-3&tls=false`, key and
 * secret percent-encoded; without them the SDK uses its default credentials (environment, role of the machine).
 * The SDK is loaded on first use, to save memory if files are stored elsewhere.
 */
export function createS3Storage({ url }: { url: string }): Storage {
  const { bucket, ...config } = parseUrl(url);
  const connect = memoizeSuccess(async (): Promise<S3> => {
    const sdk = await import('@aws-sdk/client-s3');
    return { sdk, client: new sdk.S3Client(config), bucket };
  });
  let connected: Promise<S3> | undefined;
  const open = () => (connected = connect());

  return {
    put: async (content, options) => put(await open(), content, options),
    async get(key, range) {
      if (!isKey(key)) throw fileNotFound();
      return get(await open(), key, range);
    },
    stat: async (key) => (isKey(key) ? stat(await open(), key) : null),
    async remove(key) {
      if (isKey(key)) await remove(await open(), key);
    },
    async *list({ olderThan }) {
      const s3 = await open();
      for await (const file of listAll(s3)) {
        if (isKey(file.key) && file.createdAt < olderThan) yield file;
      }
    },
    async ready() {
      const { sdk, client } = await open();
      await client.send(new sdk.HeadBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(2000) });
    },
    async close() {
      (await connected)?.client.destroy();
    },
  };
}

function parseUrl(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const [, bucket = '', rest] = url?.pathname.split('/') ?? [];
  if (!url?.host || !bucket || rest) throw new Error('STORAGE_URL must be s3://key:secret@host:port/bucket?region=…');
  const credentials = {
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
  return {
    bucket: decodeURIComponent(bucket),
    endpoint: `${url.searchParams.get('tls') === 'false' ? 'http' : 'https'}://${url.host}`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    ...(url.username ? { credentials } : {}),
    // For compatible stores: the bucket in the path, no AWS-specific checksums.
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    requestHandler: {
      connectionTimeout: 5000,
      // Until the response starts; reading the content may take longer, but is not silent for minutes.
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      socketTimeout: 300_000,
    },
  };
}

/** In parts of 5 MiB, the smallest that S3 allows, one at a time; a smaller file in one request. */
async function put(s3: S3, content: Readable, options: Parameters<Storage['put']>[1]): Promise<StoredFile> {
  const { under: key = newKey(), type, signal } = options;
  const { Upload } = await import('@aws-sdk/lib-storage');
  const file = { key, size: 0, createdAt: new Date() };
  async function* counted() {
    signal?.throwIfAborted();
    // The signal aborts the content rather than the upload, since an aborted `Upload` does not wait for its own clean-up.
    for await (const chunk of signal ? addAbortSignal(signal, content) : content) {
      file.size += chunk.length;
      yield chunk;
    }
  }
  const params = { Bucket: s3.bucket, Key: file.key, Body: Readable.from(counted()), ContentType: type };
  try {
    await new Upload({ client: s3.client, params, queueSize: 1 }).done();
    return file;
  } catch (error) {
    content.destroy();
    // The parts are removed by now, but a request that failed without a response may have stored the whole file.
    await remove(s3, file.key).catch(() => undefined);
    throw error;
  }
}

async function get({ sdk, client, bucket: Bucket }: S3, Key: string, range?: ByteRange): Promise<Readable> {
  const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
  try {
    const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }));
    return Body as Readable;
  } catch (error) {
    throw isNamed(error, 'NoSuchKey') ? fileNotFound() : error;
  }
}

async function stat({ sdk, client, bucket: Bucket }: S3, key: string): Promise<StoredFile | null> {
  try {
    const found = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: key }));
    return { key, size: found.ContentLength ?? 0, createdAt: found.LastModified ?? new Date(0) };
  } catch (error) {
    if (isNamed(error, 'NotFound')) return null;
    throw error;
  }
}

async function remove({ sdk, client, bucket: Bucket }: S3, Key: string): Promise<void> {
  await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }));
  const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
  for (const { UploadId } of Uploads) {
    await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  }
}

/** All objects, then all incomplete uploads, in pages of 1,000. */
async function* listAll({ sdk, client, bucket: Bucket }: S3): AsyncGenerator<StoredFile> {
  for await (const { Contents = [] } of sdk.paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key = '', Size = 0, LastModified } of Contents) {
      yield { key: Key, size: Size, createdAt: LastModified ?? new Date() };
    }
  }
  let KeyMarker: string | undefined;
  let UploadIdMarker: string | undefined;
  do {
    const page = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, KeyMarker, UploadIdMarker }));
    for (const { Key = '', Initiated } of page.Uploads ?? []) {
      yield { key: Key, size: 0, createdAt: Initiated ?? new Date() };
    }
    KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
    UploadIdMarker = page.NextUploadIdMarker;
  } while (KeyMarker !== undefined);
}

function isNamed(error: unknown, name: string): boolean {
  return (error as { name?: unknown }).name === name;
}
