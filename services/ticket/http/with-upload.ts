import { bodyOptions, validate } from '@app/http';
import type { TransactionalWrite } from '@app/messaging';
import type { PendingUploads, UploadOptions } from '@app/storage';
import type { Request, Response } from 'express';
import type Joi from 'joi';
import type { StoredFile } from '../tickets/ticket.ts';

export type UploadDeps = { uploads: PendingUploads };

type Form<Fields> = { req: Request; res: Response; fields: Joi.ObjectSchema<Fields>; options?: UploadOptions };

/** What was sent: without a file there is nothing to keep. `keep` belongs into the transaction that saves the file's owner. */
type Sent<Fields> = { fields: Fields; file: StoredFile | null; keep: TransactionalWrite | null };

/**
 * Takes a form with a file, checks its text fields and saves what it asks for. Where anything after the upload fails,
 * the file is removed again, and where this process dies it is swept up: nothing is left behind of a request that
 * was not carried out.
 */
export async function withUpload<Fields, T>(
  { uploads }: UploadDeps,
  { req, res, fields, options }: Form<Fields>,
  save: (sent: Sent<Fields>) => Promise<T>,
): Promise<T> {
  const upload = await uploads.receive(req, res, options);
  try {
    const { file = null, keep } = upload;
    return await save({ fields: validate(fields, upload.fields, bodyOptions), file, keep: file && keep });
  } catch (error) {
    await upload.discard();
    throw error;
  }
}
