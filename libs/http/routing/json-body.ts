import { AppError } from '@app/kernel';
import express, { type Request, type Response } from 'express';

const limit = '1mb';
const parse = express.json({ limit, strict: false, type: 'application/json' });

// Not inflated, since signatures cover the bytes as they were sent.
const readBytes = express.raw({ limit, inflate: false, type: () => true });

/** Reads a JSON body of at most 1 MB; `{}` if there is none. */
export async function readJson(req: Request, res: Response): Promise<unknown> {
  if (!hasBody(req)) return {};
  // With neither type nor length, only reading shows whether there is a body.
  const undeclared = req.headers['content-type'] === undefined && req.headers['content-length'] === undefined;
  if (undeclared && (await readRaw(req, res)).length === 0) return {};
  if (undeclared || !req.is('application/json')) {
    throw new AppError('unsupported_type', 'unsupported_media_type', 'send the body as application/json');
  }
  await new Promise<void>((resolve, reject) => parse(req, res, (error) => (error ? reject(error) : resolve())));
  return bodyOf(req);
}

/** The raw bytes of a body of at most 1 MB, whatever its type; empty if there is none. */
export async function readRaw(req: Request, res: Response): Promise<Buffer> {
  if (!hasBody(req)) return Buffer.alloc(0);
  await new Promise<void>((resolve, reject) => readBytes(req, res, (error) => (error ? reject(error) : resolve())));
  return bodyOf(req) as Buffer;
}

/** The parser passes over a request whose connection has ended: without this, its handler would see no body. */
function bodyOf(req: Request): unknown {
  if (req.body === undefined) throw new AppError('invalid', 'invalid_json', 'the caller left before its body was read');
  return req.body;
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}
