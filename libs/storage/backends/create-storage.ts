import type { Logger } from '@app/runtime';
import type { Storage } from '../storage.ts';
import { createFolderStorage } from './folder-storage.ts';
import { createGridFsStorage } from './gridfs-storage.ts';
import { isDiskOutage, isMongoStorageOutage, isS3Outage, withOutageErrors } from './outage.ts';
import { createS3Storage } from './s3-storage.ts';

type StorageOptions = {
  /** `STORAGE_URL`, see below. */
  url: string;
  /** The MongoDB database; overrides the one in the URL. */
  database?: string;
  logger?: Logger;
};

/**
 * The storage for a `STORAGE_URL`: `mongodb://host/database` for GridFS, `file:///folder` for a folder,
 * `s3://key:secret@host:port/bucket?region=eu-west-3&tls=false` for an S3-compatible store (TLS unless `tls=false`).
 * Connects on first use.
 * @throws Error if the URL cannot be used; its secrets are not repeated
 */
export function createStorage({ url, database, logger }: StorageOptions): Storage {
  const scheme = /^([a-z0-9+]+):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'file') return withOutageErrors(createFolderStorage({ url }), isDiskOutage);
  if (scheme === 's3') return withOutageErrors(createS3Storage({ url }), isS3Outage);
  if (scheme !== 'mongodb' && scheme !== 'mongodb+srv') {
    throw new Error('STORAGE_URL must start with mongodb://, mongodb+srv://, file:// or s3://');
  }
  const named = /^[^/]+\/\/[^/]+\/([^/?]+)/.exec(url)?.[1];
  const chosen = database ?? (named && decodeURIComponent(named));
  if (!chosen) throw new Error('STORAGE_URL must name a database: mongodb://host/database');
  const gridFs = createGridFsStorage({ url, database: chosen, ...(logger ? { logger } : {}) });
  return withOutageErrors(gridFs, isMongoStorageOutage);
}
