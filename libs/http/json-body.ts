import { AppError } from '@app/kernel';
import express, { type Request, type Response } from 'express';

const limit = '1mb';
const parse = express.json({ limit, strict: false, type: 'application/json' });

// Not inflated: what was signed is what was sent.
const take = express.raw({ limit, inflate: false, type: () => true });

/** Reads a JSON body of at most 1 MB; an absent one counts as `{}` (design section 5). */
export async function readJson(req: Request, res: Response): Promise<unknown> {
  if (!hasBody(req)) return {};
  // What tells neither type nor length is known to be absent only once it is over.
  const untold = req.headers['content-type'] === undefined && req.headers['content-length'] === undefined;
  if (untold && (await readRaw(req, res)).length === 0) return {};
  if (untold || !req.is('application/json')) {
    throw new AppError('unsupported_type', 'unsupported_media_type', 'send the body as application/json');
  }
  await new Promise<void>((resolve, reject) => parse(req, res, (error) => (error ? reject(error) : resolve())));
  return req.body;
}

/** The bytes of a body of at most 1 MB as they were sent, whatever they claim to be; none for an absent one. */
export async function readRaw(req: Request, res: Response): Promise<Buffer> {
  if (!hasBody(req)) return Buffer.alloc(0);
  await new Promise<void>((resolve, reject) => take(req, res, (error) => (error ? reject(error) : resolve())));
  return req.body as Buffer;
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}
