import type { Readable } from 'node:stream';
import { hashOf, type ProtectedWrite } from '@app/runtime/idempotency';
import type { Request, Response } from 'express';
import type { Storage } from '../storage.ts';
import { receiveUpload, type Upload } from './receive-upload.ts';

/** Binds the Idempotency-Key of the request to fields and file of its form; how the form is encoded does not count. */
export function bindForm(write: Pick<ProtectedWrite, 'bindBody'>, upload: Pick<Upload, 'fields' | 'file'>): void {
  write.bindBody(hashUpload(upload));
}

/**
 * The hash that `bindForm` gives the form of this request, whose file is read and dropped. For a request that was answered before
 * with the same Idempotency-Key.
 */
export async function hashForm(req: Request, res: Response): Promise<string> {
  return hashUpload(await receiveUpload(req, res, nowhere, { required: false }));
}

function hashUpload({ fields, file }: Pick<Upload, 'fields' | 'file'>): string {
  return hashOf([fields, file ? [file.name, file.hash] : null]);
}

/** Reads what it is given, and keeps nothing. */
const nowhere: Pick<Storage, 'put' | 'remove'> = {
  async put(content: Readable, { under = '' }) {
    for await (const chunk of content) void chunk;
    return { key: under, size: 0, createdAt: new Date() };
  },
  remove: async () => undefined,
};
