import { AppError } from '@app/kernel';
import { type BodyLength, bodyLength } from './headers.ts';
import type { Route, ServiceName } from './routes.ts';

type Headers = NodeJS.Dict<string | string[]>;

export type Body = {
  length: BodyLength;
  /** For counting what comes, where the length is unknown. */
  maxBytes: number;
  /** Streamed to the service as it comes; what is not is small, and held until it is whole. */
  upload: boolean;
  tooLarge: () => AppError;
};

const maxJsonBytes = 1024 * 1024;
/** A file of 20 MB (spec section 8), the fields beside it and the lines between them. */
const maxUploadBytes = 21 * 1024 * 1024;

/** What the services themselves say of a file over 20 MB, so that it does not matter who noticed (spec section 7). */
const fileTooLarge: Partial<Record<ServiceName, string>> = { purchase: 'purchase_file_limit_file_size' };

/**
 * How long a request's body is and may be.
 * @throws AppError too_large `payload_too_large` and the like, invalid `transfer_encoding_unsupported`
 */
export function bodyOf(headers: Headers, route: Pick<Route, 'service' | 'public' | 'takesFile'>): Body {
  const upload = isUpload(String(headers['content-type'] ?? ''), route);
  const maxBytes = upload ? maxUploadBytes : maxJsonBytes;
  const tooLarge = () =>
    upload
      ? new AppError('too_large', fileTooLarge[route.service] ?? 'file_too_large', 'the file is larger than 20 MB')
      : new AppError('too_large', 'payload_too_large', 'the body is larger than 1 MB');
  const length = bodyLength(headers);
  if (length === undefined) {
    throw new AppError('invalid', 'transfer_encoding_unsupported', 'the only transfer encoding taken is chunked');
  }
  if (length !== 'chunked' && length !== null && length > maxBytes) throw tooLarge();
  return { length, maxBytes, upload, tooLarge };
}

/** Nobody uploads without credentials, whatever an anonymous body says of itself. */
function isUpload(type: string, route: Pick<Route, 'public' | 'takesFile'>): boolean {
  if (route.public) return false;
  return /^multipart\//i.test(type) || (route.takesFile === true && !/^application\/json\b/i.test(type));
}

/** The refusal of a caller that has as much under way as one may have; others are not touched by it. */
export function tooMuchAtOnce(what: string): AppError {
  return new AppError('too_many', 'concurrency_limited', `more than ${what} at once; wait for answers`);
}
