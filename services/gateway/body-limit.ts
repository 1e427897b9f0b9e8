import { AppError } from '@app/kernel';
import { type BodyLength, bodyLength } from './headers.ts';
import type { ServiceName } from './routes.ts';

type Headers = NodeJS.Dict<string | string[]>;

/** `maxBytes` is for counting what comes, where the length is unknown. */
export type Body = { length: BodyLength; maxBytes: number; tooLarge: () => AppError };

const maxJsonBytes = 1024 * 1024;
/** A file of 20 MB (spec section 8), the fields beside it and the lines between them. */
const maxMultipartBytes = 21 * 1024 * 1024;

/** What the services themselves say of a file over 20 MB, so that it does not matter who noticed (spec section 7). */
const fileTooLarge: Partial<Record<ServiceName, string>> = { purchase: 'purchase_file_limit_file_size' };

/**
 * How long a request's body is and may be.
 * @throws AppError too_large `payload_too_large` and the like, invalid `transfer_encoding_unsupported`
 */
export function bodyOf(headers: Headers, service: ServiceName): Body {
  const multipart = /^multipart\//i.test(String(headers['content-type'] ?? ''));
  const maxBytes = multipart ? maxMultipartBytes : maxJsonBytes;
  const tooLarge = () =>
    multipart
      ? new AppError('too_large', fileTooLarge[service] ?? 'file_too_large', 'the file is larger than 20 MB')
      : new AppError('too_large', 'payload_too_large', 'the body is larger than 1 MB');
  const length = bodyLength(headers);
  if (length === undefined) {
    throw new AppError('invalid', 'transfer_encoding_unsupported', 'the only transfer encoding taken is chunked');
  }
  if (length !== 'chunked' && length !== null && length > maxBytes) throw tooLarge();
  return { length, maxBytes, tooLarge };
}
