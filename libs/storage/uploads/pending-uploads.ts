// Services share the storage, so none may sweep it. A key is written into the service's own database before the first byte; the
// transaction that saves the file's owner removes it. An old record names a file that nobody has.

import { AppError } from '@app/kernel';
import { documentSchema, type Logger } from '@app/runtime';
import type { ProtectedWrite } from '@app/runtime/idempotency';
import { createPoller, type Poller } from '@app/work-queue';
import type { Request, Response } from 'express';
import type { ClientSession, Connection, Model } from 'mongoose';
import type { Storage } from '../storage.ts';
import { bindForm } from './hash-form.ts';
import { receiveUpload, type Upload } from './receive-upload.ts';
import type { UploadRecords } from './upload-engine.ts';
import type { UploadOptions } from './upload-options.ts';

export type RecordedUpload = Upload & {
  /**
   * Keeps the file: to be called within the transaction that saves its owner. Until that commits, the file is removed at the end
   * of the request, or by the sweep after a crash.
   * @throws AppError timeout `service_timeout` if the sweep has already marked the upload
   */
  keep(session: ClientSession): Promise<void>;
};

/** `write`: of the request, whose Idempotency-Key is bound to what was sent. */
type ReceiveOptions = UploadOptions & { write: ProtectedWrite | null };

type UploadsOptions = {
  /** The service's own database: the record is removed in the transaction that saves the owner of the file. */
  connection: Connection;
  storage: Storage;
  logger: Logger;
  /** The database's clock: a replica whose own is ahead would take uploads of others for abandoned. */
  now: () => Date;
  /** 1 min. */
  sweepEveryMs?: number;
  /** 15 min. Longer than any request, which the server cuts after 5 minutes. */
  abandonedAfterMs?: number;
};

type UploadRecord = { _id: string; at: Date; abandoned?: true };

const sweepBatch = 100;

const uploadSchema = documentSchema<UploadRecord>('uploads');
uploadSchema.index({ at: 1 });

/** After a restore: what was being uploaded at the backup may have got its owner since, whom a later backup knows, or a service that keeps it. */
export async function forgetUploads(connection: Connection): Promise<void> {
  await connection.collection(uploadSchema.get('collection') as string).deleteMany({});
}

/**
 * Receives uploads without leaving orphans, whatever crashes: the key is recorded before the first byte is stored, and the record
 * is removed in the transaction that gives the file its owner. So an old record names a file without owner.
 */
export class PendingUploads implements UploadRecords {
  readonly #records: Model<UploadRecord>;
  readonly #storage: Storage;
  readonly #logger: Logger;
  readonly #now: () => Date;
  readonly #abandonedAfterMs: number;
  readonly #poller: Poller;

  constructor({ connection, storage, logger, now, ...times }: UploadsOptions) {
    const { sweepEveryMs = 60_000, abandonedAfterMs = 15 * 60_000 } = times;
    this.#records = connection.model<UploadRecord>('Upload', uploadSchema);
    this.#storage = storage;
    this.#logger = logger;
    this.#now = now;
    this.#abandonedAfterMs = abandonedAfterMs;
    this.#poller = createPoller({
      run: () => this.sweep(),
      everyMs: sweepEveryMs,
      immediate: true,
      onError: (error) => logger.warn('sweep of abandoned uploads failed', { error }),
    });
  }

  /** Like `receiveUpload`, with a record of the upload. After a failed save, `discard` spares a file that was kept after all. */
  async receive(req: Request, res: Response, { write, ...options }: ReceiveOptions): Promise<RecordedUpload> {
    const upload = await receiveUpload(req, res, this.#storage, { ...options, logger: this.#logger, records: this });
    try {
      if (write) bindForm(write, upload);
    } catch (error) {
      await upload.discard();
      throw error;
    }
    const key = upload.file?.key;
    return { ...upload, keep: async (session) => (key === undefined ? undefined : this.#keep(key, session)) };
  }

  /**
   * Has the next sweep remove files that lose their owner: to be called within the transaction that takes them from it.
   */
  async abandon(keys: readonly string[], session: ClientSession): Promise<void> {
    const records = keys.map((_id) => ({ _id, at: new Date(0), abandoned: true as const }));
    await this.#records.create(records, { session, ordered: true });
  }

  async begin(key: string): Promise<void> {
    await this.#records.create({ _id: key, at: this.#now() });
  }

  /** Waits for a transaction that keeps the same file: only one of the two finds the record. */
  async markAbandoned(key: string): Promise<boolean> {
    const { matchedCount } = await this.#records.updateOne({ _id: key }, { $set: { abandoned: true } });
    return matchedCount === 1;
  }

  async end(key: string): Promise<void> {
    await this.#records.deleteOne({ _id: key });
  }

  /** Removes the files of abandoned uploads; resolves to how many. */
  async sweep(): Promise<number> {
    const before = new Date(this.#now().getTime() - this.#abandonedAfterMs);
    const old = await this.#records
      .find({ at: { $lte: before } })
      .sort({ at: 1 })
      .limit(sweepBatch)
      .lean();
    const removals = await Promise.allSettled(old.map(({ _id: key }) => this.#removeAbandoned(key)));
    for (const removal of removals) {
      if (removal.status === 'rejected')
        this.#logger.warn('file of an abandoned upload could not be removed', { error: removal.reason });
    }
    const files = removals.filter((removal) => removal.status === 'fulfilled' && removal.value).length;
    if (files > 0) this.#logger.info('files of abandoned uploads removed', { files });
    return files;
  }

  /** Sweeps at once, and then every minute. */
  start(): void {
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async #keep(key: string, session: ClientSession): Promise<void> {
    const { deletedCount } = await this.#records.deleteOne({ _id: key, abandoned: { $exists: false } }, { session });
    if (deletedCount === 0) throw new AppError('timeout', 'service_timeout', 'the upload took too long; send it again');
  }

  async #removeAbandoned(key: string): Promise<boolean> {
    if (!(await this.markAbandoned(key))) return false;
    await this.#storage.remove(key);
    await this.end(key);
    return true;
  }
}
