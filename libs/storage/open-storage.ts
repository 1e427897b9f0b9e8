import { type CommonSettings, type DataSettings, type Process, secret } from '@app/runtime';
import Joi from 'joi';
import { createStorage } from './backends/create-storage.ts';
import type { Storage } from './storage.ts';

/** Settings of a service that stores files. */
export type StorageSettings = { STORAGE_URL?: string };

export const storageSettings = {
  STORAGE_URL: secret(
    Joi.string()
      .unit('mongodb://…, file:///folder or s3://key:secret@host/bucket')
      .description('where files are stored; unset: in the database storage at MONGODB_URL'),
  ),
};

type Service = Process<CommonSettings & DataSettings & StorageSettings> & {
  onReadyCheck(name: string, check: () => Promise<void>): void;
};

/**
 * The storage that a service's settings name: `STORAGE_URL`, or else GridFS in the database `storage` at `MONGODB_URL`, which
 * all services share. It is closed when the service stops, and checked by `/readyz`.
 * @throws Error if the URL cannot be used
 */
export function openStorage({ settings, logger, onStop, onReadyCheck }: Service): Storage {
  const { STORAGE_URL, MONGODB_URL, NAMESPACE } = settings;
  const target = STORAGE_URL ? { url: STORAGE_URL } : { url: MONGODB_URL, database: `${NAMESPACE}storage` };
  const storage = createStorage({ ...target, logger });
  onStop('storage', () => storage.close());
  onReadyCheck('storage', () => storage.ready());
  return storage;
}
