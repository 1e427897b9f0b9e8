import { AppError } from '@app/kernel';
import express, { type Request, type Response } from 'express';

const parse = express.json({ limit: '1mb', strict: false, type: 'application/json' });

/** Reads a JSON body of at most 1 MB; an absent one counts as `{}` (design section 5). */
export async function readJson(req: Request, res: Response): Promise<unknown> {
  if (!hasBody(req)) return {};
  if (!req.is('application/json')) {
    throw new AppError('unsupported_type', 'unsupported_media_type', 'send the body as application/json');
  }
  await new Promise<void>((resolve, reject) => parse(req, res, (error) => (error ? reject(error) : resolve())));
  return req.body;
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}
