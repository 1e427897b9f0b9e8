import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Request, Response } from 'express';
import { type ClientSession, type Connection, Schema } from 'mongoose';
import { receiveUpload, type Upload } from './receive-upload.ts';
import type { Storage } from './storage.ts';
import type { UploadRecords } from './upload-engine.ts';
import type { UploadOptions } from './upload-options.ts';

export type RecordedUpload = Upload & {
  /**
   * Makes the file last: to be called within the transaction that saves who it belongs to. Until that commits, the file
   * goes with the request, or with the process.
   * @throws AppError timeout `service_timeout` where the sweep has given the upload up
   */
  keep(session: ClientSession): Promise<void>;
};

export type PendingUploads = {
  /** As `receiveUpload`; what a crash leaves of it is swept up. After a failed save, `discard` spares a file that was kept after all. */
  receive(req: Request, res: Response, options?: UploadOptions): Promise<RecordedUpload>;
  /** Removes the files of uploads that were given up; how many. */
  sweep(): Promise<number>;
  /** Sweeps now and from time to time. */
  start(): void;
  stop(): Promise<void>;
};

type UploadsOptions = {
  /** The service's own database: the record of an upload goes with the write that makes the file its own. */
  connection: Connection;
  storage: Storage;
  logger: Logger;
  sweepEveryMs?: number;
  /** Longer than any request may take, which the server cuts after 5 minutes. */
  abandonedAfterMs?: number;
};

type UploadRecord = { _id: string; at: Date; abandoned?: true };

const sweptAtOnce = 100;

const uploadSchema = new Schema<UploadRecord>(
  { _id: { type: String, required: true }, at: { type: Date, required: true }, abandoned: Boolean },
  { versionKey: false, collection: 'uploads' },
);
uploadSchema.index({ at: 1 });

/**
 * Uploads that leave no orphan, whatever dies when: the key is recorded before the first byte is stored, and the record
 * goes in the same transaction by which the file gets its owner. So a record that is old names a file that nobody has.
 */
export function createPendingUploads({ connection, storage, logger, ...times }: UploadsOptions): PendingUploads {
  const { sweepEveryMs = 60_000, abandonedAfterMs = 15 * 60_000 } = times;
  const model = connection.model<UploadRecord>('Upload', uploadSchema);
  const records: UploadRecords = {
    async begin(key) {
      await model.collection.insertOne({ _id: key, at: new Date() } as never);
    },
    // Against a transaction that would keep the file this waits for its end: one of the two finds the record.
    async claim(key) {
      const { matchedCount } = await model.collection.updateOne({ _id: key } as never, { $set: { abandoned: true } });
      return matchedCount === 1;
    },
    async end(key) {
      await model.collection.deleteOne({ _id: key } as never);
    },
  };
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function keep(key: string, session: ClientSession): Promise<void> {
    const mine = { _id: key, abandoned: { $exists: false } };
    const { deletedCount } = await model.collection.deleteOne(mine as never, { session });
    if (deletedCount === 0) throw new AppError('timeout', 'service_timeout', 'the upload took too long; send it again');
  }

  async function sweep(): Promise<number> {
    const before = new Date(Date.now() - abandonedAfterMs);
    const old = await model
      .find({ at: { $lte: before } })
      .sort({ at: 1 })
      .limit(sweptAtOnce)
      .lean();
    const removed = await Promise.allSettled(old.map(({ _id: key }) => removeAbandoned(key)));
    // One file that can't be removed keeps none of the others.
    for (const one of removed)
      if (one.status === 'rejected') logger.warn('an abandoned file stays', { error: one.reason });
    const files = removed.filter((one) => one.status === 'fulfilled' && one.value).length;
    if (files > 0) logger.info('files of abandoned uploads removed', { files });
    return files;
  }

  async function removeAbandoned(key: string): Promise<boolean> {
    if (!(await records.claim(key))) return false;
    await storage.remove(key);
    await records.end(key);
    return true;
  }

  function sweepAndAgain(): void {
    sweeping = sweep()
      .catch((error: unknown) => logger.warn('sweep of abandoned uploads failed', { error }))
      .then(() => {
        if (!stopped) timer = setTimeout(sweepAndAgain, sweepEveryMs);
      });
  }

  return {
    async receive(req, res, options = {}) {
      const upload = await receiveUpload(req, res, storage, { ...options, logger, records });
      const key = upload.file?.key;
      return { ...upload, keep: async (session) => (key === undefined ? undefined : keep(key, session)) };
    },
    sweep,
    start: sweepAndAgain,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
    },
  };
}
