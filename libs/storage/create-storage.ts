import type { Logger } from '@app/runtime';
import { createFolderStorage } from './folder-storage.ts';
import { createGridFsStorage } from './gridfs-storage.ts';
import { isDiskOutage, isMongoStorageOutage, isS3Outage, namingOutages } from './outage.ts';
import { createS3Storage } from './s3-storage.ts';
import type { Storage } from './storage.ts';

type StorageOptions = {
  /** `STORAGE_URL`, see below. */
  url: string;
  /** The MongoDB database to use whatever the URL names. */
  database?: string;
  logger?: Logger;
};

/**
 * The storage that `STORAGE_URL` names (design section 9):
 * `mongodb://host/database` keeps files in GridFS, `file:///folder` in a folder,
 * `s3://key:secret@host:port/bucket?region=eu-west-3&tls=false` in any S3-compatible store (TLS unless `tls=false`).
 * Nothing is connected to before the first use. Throws for a URL that can't be used, without repeating its secrets.
 */
export function createStorage({ url, database, logger }: StorageOptions): Storage {
  const scheme = /^([a-z0-9+]+):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'file') return namingOutages(createFolderStorage({ url }), isDiskOutage);
  if (scheme === 's3') return namingOutages(createS3Storage({ url }), isS3Outage);
  if (scheme !== 'mongodb' && scheme !== 'mongodb+srv') {
    throw new Error('STORAGE_URL must start with mongodb://, mongodb+srv://, file:// or s3://');
  }
  const named = /^[^/]+\/\/[^/]+\/([^/?]+)/.exec(url)?.[1];
  const chosen = database ?? (named && decodeURIComponent(named));
  if (!chosen) throw new Error('STORAGE_URL must name a database: mongodb://host/database');
  const gridFs = createGridFsStorage({ url, database: chosen, ...(logger ? { logger } : {}) });
  return namingOutages(gridFs, isMongoStorageOutage);
}
