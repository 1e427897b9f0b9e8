import { bodyOptions, validate } from '@app/http';
import type { Logger } from '@app/runtime';
import { receiveUpload, type Storage, type Upload, type UploadOptions } from '@app/storage';
import type { Request, Response } from 'express';
import type Joi from 'joi';
import type { StoredFile } from '../tickets/ticket.ts';

export type UploadDeps = { storage: Storage; logger: Logger };

type Form<Fields> = { req: Request; res: Response; fields: Joi.ObjectSchema<Fields>; options?: UploadOptions };

/**
 * Takes a form with a file, checks its text fields and saves what it asks for. Where anything after the upload fails,
 * the file is removed again: a refused request leaves nothing behind.
 */
export async function withUpload<Fields, T>(
  { storage, logger }: UploadDeps,
  { req, res, fields, options }: Form<Fields>,
  save: (fields: Fields, file: StoredFile | null) => Promise<T>,
): Promise<T> {
  const upload: Upload = await receiveUpload(req, res, storage, { ...options, logger });
  try {
    return await save(validate(fields, upload.fields, bodyOptions), upload.file ?? null);
  } catch (error) {
    await upload.discard();
    throw error;
  }
}
