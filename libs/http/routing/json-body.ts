import { AppError, parseJson } from '@app/kernel';
import express, { type Request, type RequestHandler, type Response } from 'express';

const limit = '1mb';
const readInflated = express.raw({ limit, type: () => true });
// Not inflated, since signatures cover the bytes as they were sent.
const readBytes = (maxMb: number) => express.raw({ limit: `${maxMb}mb`, inflate: false, type: () => true });

/** Reads a JSON body of at most 1 MB; `{}` if there is none. */
export async function readJson(req: Request, res: Response): Promise<unknown> {
  if (!hasBody(req)) return {};
  // With neither type nor length, only reading shows whether there is a body.
  const undeclared = req.headers['content-type'] === undefined && req.headers['content-length'] === undefined;
  if (undeclared && (await readRaw(req, res)).length === 0) return {};
  if (undeclared || !req.is('application/json')) {
    throw new AppError('unsupported_type', 'unsupported_media_type', 'send the body as application/json');
  }
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(req.headers['content-type'] ?? '') ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new AppError('unsupported_type', 'unsupported_media_type', `send JSON in UTF-8, not in ${charset}`);
  }
  const bytes = await read(readInflated, req, res);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

/** The raw bytes of a body of at most `maxMb`, whatever its type; empty if there is none. */
export async function readRaw(req: Request, res: Response, maxMb = 1): Promise<Buffer> {
  return hasBody(req) ? read(readBytes(maxMb), req, res) : Buffer.alloc(0);
}

async function read(reader: RequestHandler, req: Request, res: Response): Promise<Buffer> {
  await new Promise<void>((resolve, reject) => reader(req, res, (error) => (error ? reject(error) : resolve())));
  // The reader passes over a request whose connection has ended: without this, its handler would see no body.
  if (req.body === undefined) throw new AppError('invalid', 'invalid_json', 'the caller left before its body was read');
  return req.body;
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}
