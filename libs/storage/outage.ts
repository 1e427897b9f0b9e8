import type { Readable } from 'node:stream';
import { AppError } from '@app/kernel';
import { isTransientMongoError } from '@app/runtime';
import type { Storage } from './storage.ts';

/** Tells from what a backend fails with whether it is away, or only this file or request at fault. */
type IsOutage = (error: unknown) => boolean;

type Fault = {
  name?: string;
  code?: string;
  syscall?: string;
  $metadata?: { httpStatusCode?: number; attempts?: number };
};

const network = /^(ECONN\w+|E(NET|HOST)(UNREACH|DOWN)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_\w+)$/;
/** The disk is full, read-only, broken or not mounted, or there are no more file handles. */
const disk = /^(EIO|ENOSPC|EDQUOT|EROFS|ESTALE|ENODEV|ENXIO|ENOTDIR|ENOTCONN|EHOSTDOWN|ETIMEDOUT|EMFILE|ENFILE|EBUSY)$/;

export const isMongoStorageOutage: IsOutage = isTransientMongoError;

/** No answer, an error of the server (5xx), or too many requests; after the SDK's own retries, which it makes for nothing else. */
export function isS3Outage(error: unknown): boolean {
  const { name, code = '', $metadata: { httpStatusCode: status, attempts = 0 } = {} } = (error ?? {}) as Fault;
  if (status !== undefined) return status >= 500 || status === 429;
  return attempts > 1 || network.test(code) || name === 'TimeoutError';
}

export function isDiskOutage(error: unknown): boolean {
  const { code = '', syscall } = (error ?? {}) as Fault;
  return syscall !== undefined && disk.test(code);
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'storage_unavailable', 'the file storage does not answer; try again later', {
    cause,
  });
}

/**
 * The same storage, whose outages are `unavailable`: whoever handles a message waits for its end, as for the database's. What the
 * content fails with that is being stored stays as it is, even where it is a network error.
 */
export function namingOutages(storage: Storage, isOutage: IsOutage): Storage {
  const named = (error: unknown) => (isOutage(error) ? unavailable(error) : error);
  const rejects = (error: unknown) => {
    throw named(error);
  };

  return {
    ...storage,
    async put(content, options) {
      let own: unknown;
      // The first to hear of it: a backend that fails destroys the content as well, with its own error.
      const failed = (error: unknown) => {
        own = error;
      };
      content.prependOnceListener('error', failed);
      try {
        return await storage.put(content, options);
      } catch (error) {
        throw error === own && !isDiskOutage(error) ? error : named(error);
      }
    },
    get: async (key, range) => naming(await storage.get(key, range).catch(rejects), named),
    stat: (key) => storage.stat(key).catch(rejects),
    remove: (key) => storage.remove(key).catch(rejects),
    async *list(filter) {
      try {
        yield* storage.list(filter);
      } catch (error) {
        throw named(error);
      }
    },
  };
}

/** The same stream, which ends with the error as it is named. */
function naming(stream: Readable, named: (error: unknown) => unknown): Readable {
  const destroy = stream._destroy;
  stream._destroy = (error, done) =>
    destroy.call(stream, error, (reason) => done(reason ? (named(reason) as Error) : reason));
  return stream;
}
