import { AppError, ValidationError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Request, Response } from 'express';
import multer from 'multer';
import type { Storage } from './storage.ts';
import { createUploadEngine, type UploadEngine, type UploadedFile, type UploadRecords } from './upload-engine.ts';
import {
  asUploadError,
  fileRequired,
  invalidForm,
  tooLarge,
  type UploadOptions,
  type UploadSettings,
  withDefaults,
} from './upload-options.ts';

export type Upload = {
  /** The text fields, each given once. */
  fields: Record<string, string>;
  file?: UploadedFile;
  /** Removes the file again, for a request that fails after its upload. Never rejects; may be called twice. */
  discard(): Promise<void>;
};

/** What is read of a refused request, so that its sender gets to see the answer; then the connection is cut. */
const drainMs = 30_000;
/** Room for the part headers and boundaries of a form. */
const formOverheadBytes = 64 * 1024;

/**
 * Takes a multipart/form-data request: its text fields, and at most one file, streamed into the storage while its type
 * is read from its first bytes, its size counted and its SHA-256 taken. At no time is the file in memory.
 * Rejects at the first fault, even while the sender is still sending, and leaves no file behind: 413 for a file that is
 * too large, 415 for one that is no PDF, PNG or JPEG, 400 for a missing or unexpected file or a broken form, 422
 * (ValidationError) for a text field that is repeated, too long or nested. A failing storage rejects with its own error.
 */
export async function receiveUpload(
  req: Request,
  res: Response,
  storage: Storage,
  options: UploadOptions & { logger?: Logger; records?: UploadRecords } = {},
): Promise<Upload> {
  const { logger, records, ...given } = options;
  const settings = withDefaults(given);
  if (!hasBody(req) || !req.is('multipart/form-data')) return withoutForm(req, settings);
  // Nothing would ever be heard of a request that is over.
  if (req.destroyed || req.readableEnded) throw invalidForm();

  const parts = { storage, ...(records ? { records } : {}), ...(logger ? { logger } : {}) };
  const engine = createUploadEngine(parts, settings);
  const body = measured(req, settings);
  try {
    await Promise.race([parseForm({ req, res, engine, settings }), engine.failed, body.tooLong]);
    const [fields, file] = [textFields(req.body), engine.file()];
    if (!file && settings.required) throw fileRequired(settings);
    return { fields, ...(file ? { file } : {}), discard: engine.discard };
  } catch (error) {
    drain(req);
    await engine.discard();
    // Of a file that could not be stored the parser reports the end of its stream alone.
    throw engine.failure() ?? (body.isEmpty() ? fileRequired(settings) : asUploadError(error, settings));
  }
}

type FormOptions = { req: Request; res: Response; engine: UploadEngine; settings: UploadSettings };

function parseForm({ req, res, engine, settings }: FormOptions): Promise<void> {
  const { storage, fileFilter } = engine;
  const parse = multer({
    storage,
    fileFilter,
    defParamCharset: 'utf8',
    limits: {
      fields: settings.maxFields,
      fieldSize: settings.maxFieldBytes,
      fieldNameSize: 100,
      fieldNestingDepth: 0,
      // One more than can be right: what is too much is then refused with its own reason.
      parts: settings.maxFields + 2,
      headerPairs: 100,
    },
  }).any();
  return new Promise((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}

/** `tooLong` rejects for a body longer than any valid form: whatever else is sent along, it comes to an end. */
function measured(req: Request, settings: UploadSettings): { tooLong: Promise<never>; isEmpty: () => boolean } {
  const { maxBytes, maxFields, maxFieldBytes } = settings;
  const most = maxBytes + maxFields * maxFieldBytes + formOverheadBytes;
  let bytes = 0;
  const tooLong = new Promise<never>((_resolve, reject) => {
    req.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > most) reject(tooLarge(settings));
    });
  });
  return { tooLong, isEmpty: () => req.complete && bytes === 0 };
}

function textFields(body: Record<string, unknown>): Record<string, string> {
  const repeated = Object.keys(body).filter((name) => typeof body[name] !== 'string');
  if (repeated.length > 0) {
    throw new ValidationError(repeated.map((path) => ({ path, message: 'must be given once' })));
  }
  return Object.fromEntries(Object.entries(body)) as Record<string, string>;
}

function withoutForm(req: Request, settings: UploadSettings): Upload {
  if (settings.required) throw fileRequired(settings);
  if (hasBody(req)) throw new AppError('unsupported_type', 'unsupported_media_type', 'send multipart/form-data');
  return { fields: {}, discard: async () => {} };
}

/** Whether one was announced: one sent in chunks may turn out to be empty. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Lets a refused sender finish, without `Connection: close`: closing under unread data would reset it before it reads. */
function drain(req: Request): void {
  if (req.readableEnded || req.destroyed) return;
  req.unpipe();
  req.resume();
  const timer = setTimeout(() => req.destroy(), drainMs).unref();
  req.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}
