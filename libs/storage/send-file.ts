import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { parseByteRange } from './byte-range.ts';
import { attachment } from './file-name.ts';
import type { LinkedFile } from './signed-urls.ts';
import { type ByteRange, fileNotFound, type Storage } from './storage.ts';

/**
 * Answers GET and HEAD with a stored file: 200, 206 for one range, 304 for a copy that is still good, 416 for a range
 * outside the file. Resolves when the answer is sent, or its reader has gone; the storage stream is freed either way.
 * Throws `not_found` for a file that has been removed, before anything is sent. Where the storage fails midway the
 * connection is cut, so that half a file is never taken for a whole one, and the error is thrown: headers are out by then.
 */
export async function sendFile(storage: Storage, file: LinkedFile, req: Request, res: Response): Promise<void> {
  const stat = await storage.stat(file.key);
  if (!stat) throw fileNotFound();
  const etag = etagOf(file.key);
  res.set({
    'Accept-Ranges': 'bytes',
    ETag: etag,
    // The link is a secret of its holder and the file is its company's: no shared cache keeps a copy.
    'Cache-Control': 'private',
    'X-Content-Type-Options': 'nosniff',
    // A document that someone uploaded runs nothing on our host, even where a browser opens it.
    'Content-Security-Policy': 'sandbox',
  });
  if (matches(req.headers['if-none-match'], etag)) return end(res, 304);

  const range = rangeAsked(req, stat.size, etag);
  if (range === 'unsatisfiable') {
    res.set('Content-Range', `bytes */${stat.size}`);
    res.status(416).json({ error: `the file has ${stat.size} bytes`, code: 'range_not_satisfiable' });
    return;
  }
  const { start, end: last } = range ?? { start: 0, end: stat.size - 1 };
  res.status(range ? 206 : 200);
  // Not `res.type`: it would add a charset to what the signature covers.
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
  let readerGone = res.destroyed;
  // Heard before the pipeline ends the content: who ended first tells a reader that left from a storage that failed.
  res.once('close', () => {
    readerGone ||= !res.writableFinished && !content?.destroyed;
  });
  content = await storage.get(key, range);
  if (readerGone) return void content.destroy();
  try {
    await pipeline(content, res);
  } catch (error) {
    if (!readerGone) throw error;
  }
}

/** A range counts on GET alone (RFC 9110), and only while the copy it completes is of this very file. */
function rangeAsked(req: Request, size: number, etag: string): ReturnType<typeof parseByteRange> {
  const condition = req.headers['if-range'];
  if (req.method !== 'GET' || (condition !== undefined && condition !== etag)) return null;
  return parseByteRange(req.headers.range, size);
}

/** Content never changes under its key, so the key is the version; hashed, since a key gives access to nobody it was not given to. */
function etagOf(key: string): string {
  return `"${createHash('sha256').update(key).digest('base64url').slice(0, 27)}"`;
}

function matches(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}

function end(res: Response, status: number): void {
  res.status(status).end();
}
