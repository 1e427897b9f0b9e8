import { bodyOptions, type ErrorLine, validate } from '@app/http';
import type { TransactionalWrite } from '@app/runtime/idempotency';
import type { PendingUploads, UploadedFile } from '@app/storage';
import type Joi from 'joi';

export type UploadDeps = { uploads: PendingUploads };

export const uploadErrors: readonly ErrorLine[] = [
  '400 file_required',
  '413 file_too_large',
  '415 file_type',
  '502 storage_unavailable',
];

type Receive = Parameters<PendingUploads['receive']>;
type Form<Fields> = {
  req: Receive[0];
  res: Receive[1];
  fields: Joi.ObjectSchema<Fields>;
  options: Receive[2];
};

/**
 * What was sent. `keep` marks the file as used: it belongs in the transaction that saves what the
 * file is part of; null without a file.
 */
type Sent<Fields> = { fields: Fields; file: UploadedFile | null; keep: TransactionalWrite | null };

/**
 * Receives a multipart form with a file, checks its text fields and calls `save`. If anything after the upload fails, the
 * file is removed again; if the process dies, the sweep of pending uploads removes it.
 * @returns what `save` returned
 * @throws ValidationError for the text fields; AppError of the upload (400, 413, 415); and what `save` throws
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
