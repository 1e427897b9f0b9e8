import type { Readable } from 'node:stream';
import { AppError } from '@app/kernel';
import { isTransientMongoError } from '@app/runtime';
import type { Storage } from '../storage.ts';

/** Whether a backend's error is an outage rather than the fault of this file or request. */
type IsOutage = (error: unknown) => boolean;

type BackendError = {
  name?: string;
  code?: string;
  syscall?: string;
  $metadata?: { httpStatusCode?: number; attempts?: number };
};

const network = /^(ECONN\w+|E(NET|HOST)(UNREACH|DOWN)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_\w+)$/;
/** The disk is full, read-only, broken or not mounted, or there are no file handles left. */
const disk = /^(EIO|ENOSPC|EDQUOT|EROFS|ESTALE|ENODEV|ENXIO|ENOTDIR|ENOTCONN|EHOSTDOWN|ETIMEDOUT|EMFILE|ENFILE|EBUSY)$/;

export const isMongoStorageOutage: IsOutage = isTransientMongoError;

/** No response, a 5xx, or too many requests. More than one attempt also means an outage: the SDK retries nothing else. */
export function isS3Outage(error: unknown): boolean {
  const { name, code = '', $metadata: { httpStatusCode: status, attempts = 0 } = {} } = (error ?? {}) as BackendError;
  if (status !== undefined) return status >= 500 || status === 429;
  return attempts > 1 || network.test(code) || name === 'TimeoutError';
}

export function isDiskOutage(error: unknown): boolean {
  const { code = '', syscall } = (error ?? {}) as BackendError;
  return syscall !== undefined && disk.test(code);
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'storage_unavailable', 'the file storage does not answer; try again later', {
    cause,
  });
}

/**
 * A storage that rejects with AppError `unavailable` during outages, so that messages are retried until they end. An error of the
 * content that is being stored stays as it is, even if it is a network error.
 */
export function withOutageErrors(storage: Storage, isOutage: IsOutage): Storage {
  const translate = (error: unknown) => (isOutage(error) ? unavailable(error) : error);
  const rethrow = (error: unknown) => {
    throw translate(error);
  };

  return {
    ...storage,
    async put(content, options) {
      let contentError: unknown;
      // Prepended: a backend that fails destroys the content as well, with its own error.
      const failed = (error: unknown) => {
        contentError = error;
      };
      content.prependOnceListener('error', failed);
      try {
        return await storage.put(content, options);
      } catch (error) {
        throw error === contentError && !isDiskOutage(error) ? error : translate(error);
      }
    },
    get: async (key, range) => withTranslatedErrors(await storage.get(key, range).catch(rethrow), translate),
    stat: (key) => storage.stat(key).catch(rethrow),
    remove: (key) => storage.remove(key).catch(rethrow),
    async *list(filter) {
      try {
        yield* storage.list(filter);
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

/** The same stream, ending with the translated error. */
function withTranslatedErrors(stream: Readable, translate: (error: unknown) => unknown): Readable {
  const destroy = stream._destroy;
  stream._destroy = (error, done) =>
    destroy.call(stream, error, (reason) => done(reason ? (translate(reason) as Error) : reason));
  return stream;
}
