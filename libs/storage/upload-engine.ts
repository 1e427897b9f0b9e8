import { pipeline, type Readable } from 'node:stream';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type multer from 'multer';
import { cleanFileName } from './file-name.ts';
import type { FileType } from './file-type.ts';
import { createUploadInspector } from './inspect-upload.ts';
import { newKey, type Storage } from './storage.ts';
import { fileRequired, invalidForm, tooLarge, type UploadSettings, unsupportedType } from './upload-options.ts';

/** A file that was stored while it came in; `type` by its content, `size` in bytes, `hash` SHA-256 in hexadecimal. */
export type UploadedFile = { key: string; name: string; size: number; type: FileType; hash: string };

export type UploadEngine = Required<Pick<multer.Options, 'storage' | 'fileFilter'>> & {
  /** Rejects as soon as the file can't be accepted, while the sender may still be sending. */
  failed: Promise<never>;
  /** The first reason to refuse, once there is one. */
  failure(): unknown;
  file(): UploadedFile | undefined;
  /** Stops what is under way and removes what was stored. Never rejects: the sweep of `Uploads` takes what an outage leaves. */
  discard(): Promise<void>;
};

/** Where the keys of uploads under way are written down, so that what a crash leaves is found (`createUploads`). */
export type UploadRecords = {
  /** Before the first byte is stored. */
  begin(key: string): Promise<void>;
  /** From then on the file can't be kept any more. False: it has been, and must stay. */
  claim(key: string): Promise<boolean>;
  /** After the file is removed. */
  end(key: string): Promise<void>;
};

export type UploadParts = { storage: Storage; records?: UploadRecords; logger?: Logger };

/** Multer's storage engine for one request: streams its one file into the storage, checked and hashed on the way. */
export function createUploadEngine(parts: UploadParts, settings: UploadSettings): UploadEngine {
  const { storage, records, logger } = parts;
  const key = newKey();
  let begun = false;
  const begin = async () => {
    begun = true;
    await records?.begin(key);
  };
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const stop = new AbortController();
  let failure: unknown;
  let storing: Promise<UploadedFile> | undefined;
  let file: UploadedFile | undefined;

  const refuse = (tell: (reason: Error) => void) => (reason: unknown) => {
    failure ??= reason;
    reject(failure);
    tell(reason as Error);
  };
  return {
    failed,
    failure: () => failure,
    file: () => file,
    fileFilter(_req, { fieldname }, accept) {
      if (fieldname === settings.field && !storing) return accept(null, true);
      refuse(accept)(fileRequired(settings));
    },
    storage: {
      _handleFile(_req, { stream, originalname }, done) {
        const name = cleanFileName(originalname);
        storing = store({ stream, key, name, storage, begin, settings, signal: stop.signal });
        storing.then((stored) => {
          file = stored;
          done(null, {});
        }, refuse(done));
      },
      // Whoever waits for the upload discards it, multer has nothing to add.
      _removeFile: (_req, _file, done) => done(null),
    },
    async discard() {
      stop.abort();
      await storing?.catch(() => undefined);
      file = undefined;
      if (!begun) return;
      try {
        if ((await records?.claim(key)) === false) return;
        await storage.remove(key);
        await records?.end(key);
      } catch (error) {
        logger?.warn('an upload could not be removed', { key, error });
      }
    },
  };
}

type StoreOptions = {
  stream: Readable;
  key: string;
  name: string;
  storage: Storage;
  begin: () => Promise<void>;
  settings: UploadSettings;
  signal: AbortSignal;
};

async function store({ stream, key, name, storage, begin, settings, signal }: StoreOptions): Promise<UploadedFile> {
  const meter = createUploadInspector({ maxBytes: settings.maxBytes, tooLarge: () => tooLarge(settings) });
  let cut: AppError | undefined;
  // Set before the pipeline hears of it: who ended first tells a form that broke from a storage that failed.
  const noticeCut = () => {
    if (!stream.readableEnded && !meter.stream.destroyed) cut = invalidForm(stream.errored ?? undefined);
  };
  stream.once('error', noticeCut).once('close', noticeCut);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  pipeline(stream, meter.stream, (error) => error && reject(error));

  try {
    const type = await Promise.race([meter.type, broken]);
    if (!type) throw unsupportedType(settings);
    await begin();
    await storage.put(meter.stream, { under: key, name, type, signal });
    return { key, name, type, ...meter.totals() };
  } catch (error) {
    const refused = meter.stream.errored instanceof AppError ? meter.stream.errored : undefined;
    meter.stream.destroy();
    throw cut ?? refused ?? (isAbort(error) ? invalidForm(error) : error);
  }
}

/** The upload was discarded while it ran: its form is what failed. */
function isAbort(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'AbortError';
}
