import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@app/kernel';
import type { Request, Response } from 'express';
import fresh from 'fresh';
import { attachment } from '../file-name.ts';
import { type ByteRange, fileNotFound, type Storage } from '../storage.ts';
import { parseByteRange } from './byte-range.ts';
import type { LinkedFile } from './signed-urls.ts';

/**
 * Responds to GET and HEAD with a stored file: 200, 206 for one range, 304 if the client's copy is current. Resolves once the
 * response is sent or the client has left; the storage stream is closed either way. If the storage fails midway the connection
 * is cut, so that a truncated file never looks complete, and the error is thrown.
 * @throws AppError not_found for a removed file, range_not_satisfiable; both before anything is sent
 */
export async function sendFile(storage: Storage, file: LinkedFile, req: Request, res: Response): Promise<void> {
  const stat = await storage.stat(file.key);
  if (!stat) throw fileNotFound();
  const etag = etagOf(file.key);
  res.set({
    'Accept-Ranges': 'bytes',
    ETag: etag,
    // Link and file are private: no shared cache may keep a copy.
    'Cache-Control': 'private',
    'X-Content-Type-Options': 'nosniff',
    // An uploaded document runs no scripts on this host, even if a browser opens it.
    'Content-Security-Policy': 'sandbox',
  });
  if (fresh({ 'if-none-match': req.headers['if-none-match'] }, { etag })) return end(res, 304);

  const range = requestedRange(req, stat.size, etag);
  if (range === 'unsatisfiable') {
    res.set('Content-Range', `bytes */${stat.size}`);
    throw new AppError('range_not_satisfiable', 'range_not_satisfiable', `the file has ${stat.size} bytes`);
  }
  const { start, end: last } = range ?? { start: 0, end: stat.size - 1 };
  res.status(range ? 206 : 200);
  // Not `res.type`, which would add a charset to the signed type.
  res.setHeader('Content-Type', file.type);
  res.setHeader('Content-Length', last - start + 1);
  res.setHeader('Content-Disposition', attachment(file.name));
  if (range) res.setHeader('Content-Range', `bytes ${start}-${last}/${stat.size}`);
  if (req.method === 'HEAD' || stat.size === 0) return end(res, res.statusCode);

  await stream(storage, file.key, { range: { start, end: last }, res });
}

type StreamOptions = { range: Required<ByteRange>; res: Response };

async function stream(storage: Storage, key: string, { range, res }: StreamOptions): Promise<void> {
  let content: Readable | undefined;
  let clientGone = res.destroyed;
  // Registered before the pipeline: whether the content is destroyed already distinguishes a failed storage from a client that left.
  res.once('close', () => {
    clientGone ||= !res.writableFinished && !content?.destroyed;
  });
  content = await storage.get(key, range);
  if (clientGone) return void content.destroy();
  try {
    await pipeline(content, res);
  } catch (error) {
    if (!clientGone) throw error;
  }
}

/** Ranges are for GET alone (RFC 9110); `If-Range` must name this version of the file. */
function requestedRange(req: Request, size: number, etag: string): ReturnType<typeof parseByteRange> {
  const condition = req.headers['if-range'];
  if (req.method !== 'GET' || (condition !== undefined && condition !== etag)) return null;
  return parseByteRange(req.headers.range, size);
}

/** The content of a key never changes, so the key is the version; hashed, since keys are secret. */
function etagOf(key: string): string {
  return `"${createHash('sha256').update(key).digest('base64url').slice(0, 27)}"`;
}

function end(res: Response, status: number): void {
  res.status(status).end();
}
