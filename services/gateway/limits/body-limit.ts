import { AppError } from '@app/kernel';
import type { Route, ServiceName } from '../routing/routes.ts';

type Headers = NodeJS.Dict<string | string[]>;

/** In bytes; `chunked`: unknown; null: there is no body. */
export type BodyLength = number | 'chunked' | null;

/**
 * The framing of a request's body. Node's parser has already refused ambiguous ones (both headers, two lengths, a length that is
 * no number). `undefined` for a transfer encoding other than `chunked`, which the gateway cannot decode.
 */
export function bodyLength(headers: NodeJS.Dict<string | string[]>): BodyLength | undefined {
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined) return String(encoding).toLowerCase() === 'chunked' ? 'chunked' : undefined;
  const length = Number(headers['content-length'] ?? 0);
  return length > 0 ? length : null;
}

export type Body = {
  length: BodyLength;
  /** To be enforced while reading if the length is unknown. */
  maxBytes: number;
  /** Streamed to the service. Any other body is small, and buffered until it is whole. */
  upload: boolean;
  tooLarge: () => AppError;
};

const maxJsonBytes = 1024 * 1024;
/** A file of 20 MB, other form fields and the boundaries between them. */
const maxUploadBytes = 21 * 1024 * 1024;

/** The code that the service itself uses for a file over 20 MB, so that it does not matter who noticed. */
const fileTooLarge: Partial<Record<ServiceName, string>> = { purchase: 'purchase_file_limit_file_size' };

/**
 * The length of a request's body and the limits for it.
 * @throws AppError too_large `payload_too_large` and the like, invalid `transfer_encoding_unsupported`
 */
export function bodyOf(headers: Headers, route: Pick<Route, 'service' | 'public' | 'takesFile' | 'maxBytes'>): Body {
  const isFile = isUpload(String(headers['content-type'] ?? ''), route);
  const upload = isFile || route.maxBytes !== undefined;
  const maxBytes = isFile ? maxUploadBytes : (route.maxBytes ?? maxJsonBytes);
  const tooLarge = () =>
    isFile
      ? new AppError('too_large', fileTooLarge[route.service] ?? 'file_too_large', 'the file is larger than 20 MB')
      : new AppError('too_large', 'payload_too_large', `the body is larger than ${maxBytes / maxJsonBytes} MB`);
  const length = bodyLength(headers);
  if (length === undefined) {
    throw new AppError('invalid', 'transfer_encoding_unsupported', 'the only transfer encoding taken is chunked');
  }
  if (length !== 'chunked' && length !== null && length > maxBytes) throw tooLarge();
  return { length, maxBytes, upload, tooLarge };
}

/** Public routes take no uploads, whatever their content type says. */
function isUpload(type: string, route: Pick<Route, 'public' | 'takesFile'>): boolean {
  if (route.public) return false;
  return /^multipart\//i.test(type) || (route.takesFile === true && !/^application\/json\b/i.test(type));
}

/** The 429 of a caller that is at its own limit. */
export function concurrencyLimited(limit: string): AppError {
  return new AppError('too_many', 'concurrency_limited', `more than ${limit} at once; wait for answers`);
}
