import { pipeline, type Readable } from 'node:stream';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type multer from 'multer';
import { cleanFileName } from '../file-name.ts';
import { type FileType, withExtension } from '../file-type.ts';
import { newKey, type Storage } from '../storage.ts';
import { createUploadInspector } from './inspect-upload.ts';
import {
  assertReadable,
  fileRequired,
  invalidForm,
  tooLarge,
  type UploadSettings,
  unsupportedType,
} from './upload-options.ts';

/** A stored file; `type` by its content, `size` in bytes, `hash` the SHA-256 in hexadecimal. */
export type UploadedFile = { key: string; name: string; size: number; type: FileType; hash: string };

export type UploadEngine = Required<Pick<multer.Options, 'storage' | 'fileFilter'>> & {
  /** Rejects as soon as the file is refused, while the client may still be sending. */
  failed: Promise<never>;
  /** The first reason to refuse the file; undefined if there is none. */
  failure(): unknown;
  file(): UploadedFile | undefined;
  /** Aborts the upload and removes what was stored. Never rejects: after an outage, the sweep of `PendingUploads` removes it. */
  discard(): Promise<void>;
};

/** Records of unfinished uploads, by which their files are found after a crash (`PendingUploads`). */
export type UploadRecords = {
  /** Before the first byte is stored. */
  begin(key: string): Promise<void>;
  /** Marks the file for removal. False: it was kept, and must stay. */
  markAbandoned(key: string): Promise<boolean>;
  /** After the file is removed. */
  end(key: string): Promise<void>;
};

type UploadParts = { storage: Pick<Storage, 'put' | 'remove'>; records?: UploadRecords; logger?: Logger };

/** Multer's storage engine for one request: streams its file to the storage, inspected on the way. */
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

  const refuse = (callback: (reason: Error) => void) => (reason: unknown) => {
    failure ??= reason;
    reject(failure);
    callback(reason as Error);
  };
  return {
    failed,
    failure: () => failure,
    file: () => file,
    fileFilter(_req, { fieldname, originalname }, accept) {
      try {
        if (fieldname !== settings.field || storing) throw fileRequired(settings);
        assertReadable('the name of the file', originalname);
        accept(null, true);
      } catch (error) {
        refuse(accept)(error);
      }
    },
    storage: {
      _handleFile(_req, { stream, originalname }, done) {
        storing = store({ stream, key, originalname, storage, begin, settings, signal: stop.signal });
        storing.then((stored) => {
          file = stored;
          done(null, {});
        }, refuse(done));
      },
      // `discard` removes the file.
      _removeFile: (_req, _file, done) => done(null),
    },
    async discard() {
      stop.abort();
      await storing?.catch(() => undefined);
      file = undefined;
      if (!begun) return;
      try {
        if ((await records?.markAbandoned(key)) === false) return;
        await storage.remove(key);
        await records?.end(key);
      } catch (error) {
        logger?.warn('file of an aborted upload could not be removed', { key, error });
      }
    },
  };
}

type StoreOptions = {
  stream: Readable;
  key: string;
  originalname: string;
  storage: Pick<Storage, 'put' | 'remove'>;
  begin: () => Promise<void>;
  settings: UploadSettings;
  signal: AbortSignal;
};

async function store({
  stream,
  key,
  originalname,
  storage,
  begin,
  settings,
  signal,
}: StoreOptions): Promise<UploadedFile> {
  const inspector = createUploadInspector({ maxBytes: settings.maxBytes, tooLarge: () => tooLarge(settings) });
  let formError: AppError | undefined;
  // Before the pipeline's listeners: if the stream ends first, the form broke; otherwise the storage failed.
  const onStreamEnd = () => {
    if (!stream.readableEnded && !inspector.stream.destroyed) formError = invalidForm(stream.errored ?? undefined);
  };
  stream.once('error', onStreamEnd).once('close', onStreamEnd);
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  pipeline(stream, inspector.stream, (error) => error && reject(error));

  try {
    const type = await Promise.race([inspector.type, broken]);
    if (!type) throw unsupportedType(settings);
    const name = cleanFileName(withExtension(cleanFileName(originalname), type));
    await begin();
    await storage.put(inspector.stream, { under: key, name, type, signal });
    return { key, name, type, ...inspector.totals() };
  } catch (error) {
    const refused = inspector.stream.errored instanceof AppError ? inspector.stream.errored : undefined;
    inspector.stream.destroy();
    throw formError ?? refused ?? (isAbort(error) ? invalidForm(error) : error);
  }
}

/** Whether the upload was aborted by `discard`, because its form failed. */
function isAbort(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'AbortError';
}
