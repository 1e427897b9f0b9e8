import { AppError, ValidationError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Request, Response } from 'express';
import multer from 'multer';
import type { Storage } from '../storage.ts';
import { createUploadEngine, type UploadEngine, type UploadedFile, type UploadRecords } from './upload-engine.ts';
import {
  assertReadable,
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
  /** Removes the file, for a request that fails after its upload. Never rejects; may be called twice. */
  discard(): Promise<void>;
};

/** How long the rest of a refused request is read, so that its sender gets to read the response. */
const drainMs = 30_000;
/** Allowance for the part headers and boundaries of a form. */
const formOverheadBytes = 64 * 1024;

/**
 * Receives a multipart/form-data request: its text fields and at most one file, which is streamed
 * to the storage while its type, size and SHA-256 are determined. The file is never in memory as a
 * whole.
 * Rejects at the first fault, even while the client is still sending, and leaves no file behind:
 * 413 for a file that is too large; 415 for a type other than PDF, PNG and JPEG, or for a body that
 * is no form although the file is optional; 400 for a missing or unexpected file, a malformed
 * form, or text that is not UTF-8; 422 (ValidationError) for a text field that is repeated, too long or nested. If the storage
 * fails, rejects with its error.
 */
export async function receiveUpload(
  req: Request,
  res: Response,
  storage: Pick<Storage, 'put' | 'remove'>,
  options: UploadOptions & { logger?: Logger; records?: UploadRecords } = {},
): Promise<Upload> {
  const { logger, records, ...given } = options;
  const settings = withDefaults(given);
  if (!hasBody(req) || !req.is('multipart/form-data')) return withoutForm(req, settings);
  // A request that has ended emits nothing more.
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
    // If the file could not be stored, the parser only reports that its stream ended.
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
      // One more than allowed, so that the check for the excess part gives the precise reason.
      parts: settings.maxFields + 2,
      headerPairs: 100,
    },
  }).any();
  return new Promise((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}

/** `tooLong` rejects once the body is longer than any valid form, whatever it contains. */
function measured(req: Request, settings: UploadSettings): { tooLong: Promise<never>; isEmpty: () => boolean } {
  const { maxBytes, maxFields, maxFieldBytes } = settings;
  const maxTotal = maxBytes + maxFields * maxFieldBytes + formOverheadBytes;
  let bytes = 0;
  const tooLong = new Promise<never>((_resolve, reject) => {
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxTotal) reject(tooLarge(settings));
    });
  });
  return { tooLong, isEmpty: () => req.complete && bytes === 0 };
}

function textFields(body: Record<string, unknown>): Record<string, string> {
  const repeated = Object.keys(body).filter((name) => Array.isArray(body[name]));
  if (repeated.length > 0) {
    throw new ValidationError(repeated.map((path) => ({ path, message: 'must be given once' })));
  }
  const fields = Object.entries(body);
  for (const field of fields) assertReadable(`the text field ${JSON.stringify(field[0])}`, ...field);
  return Object.fromEntries(fields) as Record<string, string>;
}

function withoutForm(req: Request, settings: UploadSettings): Upload {
  if (settings.required) throw fileRequired(settings);
  if (hasBody(req)) throw new AppError('unsupported_type', 'unsupported_media_type', 'send multipart/form-data');
  return { fields: {}, discard: async () => {} };
}

/** Whether the headers announce a body; a chunked one may be empty. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Reads and drops the rest of a refused request: closing the connection now would reset it before the client reads the response. */
function drain(req: Request): void {
  if (req.readableEnded || req.destroyed) return;
  req.unpipe();
  req.resume();
  const timer = setTimeout(() => req.destroy(), drainMs).unref();
  req.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}
