import { createHash } from 'node:crypto';
import type { StoredPayload } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Storage } from '@app/storage';
import { type Content, filesOf } from '../invoices/invoice.ts';

/** The files of invoices, which the connection service stored. */
export type PayloadReader = ReturnType<typeof createPayloadReader>;

/** `damaged`: the document is not what was fetched. */
type Files = { raw: Buffer; document: Buffer | null; damaged: boolean };

const maxFileBytes = 26 * 1024 * 1024;
/** All files in memory, so that memory is bounded whatever providers send. */
const maxBytesInMemory = 96 * 1024 * 1024;

type Deps = { storage: Pick<Storage, 'get' | 'stat' | 'remove'>; logger: Logger };

/** True if the storage is down, which is no fault of the invoice: it is read later. */
export function isStorageOutage(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'unavailable' && error.code === 'storage_unavailable';
}

export function createPayloadReader({ storage, logger }: Deps) {
  const memory = createByteSemaphore(maxBytesInMemory);
  return {
    /**
     * Passes the files to `use`; their memory counts as used until `use` is done.
     * @throws AppError invalid `payload_damaged` if the raw payload is not what was fetched, invalid `payload_too_large`,
     * unavailable `storage_unavailable`, and what `use` throws
     */
    async read<T>({ raw, document }: Content, use: (files: Files) => Promise<T>): Promise<T> {
      const release = await memory.acquire(raw.size + (document?.size ?? 0));
      try {
        const [rawFile, documentFile] = await Promise.all([
          readFile(storage, raw),
          document ? readFile(storage, document) : null,
        ]);
        if (!rawFile.isIntact) {
          throw new AppError('invalid', 'payload_damaged', 'the stored payload is not what was fetched');
        }
        const damaged = documentFile !== null && !documentFile.isIntact;
        return await use({ raw: rawFile.bytes, document: documentFile?.bytes ?? null, damaged });
      } finally {
        release();
      }
    },
    /** Whether all files of the content are there. */
    async has(content: Content): Promise<boolean> {
      const found = await Promise.all(filesOf(content).map((key) => storage.stat(key)));
      return !found.includes(null);
    },
    /**
     * Removes files; one that cannot be removed is logged.
     * @returns the keys of those that are gone
     * @throws AppError unavailable `storage_unavailable`
     */
    async remove(keys: string[]): Promise<string[]> {
      const removals = await Promise.allSettled(keys.map((key) => storage.remove(key)));
      for (const removal of removals) {
        if (removal.status === 'fulfilled') continue;
        if (isStorageOutage(removal.reason)) throw removal.reason;
        logger.warn('an unused file of an invoice could not be removed', { error: removal.reason });
      }
      return keys.filter((_, index) => removals[index]?.status === 'fulfilled');
    },
  };
}

/** Hashes chunk by chunk: hashing a large document at once would block the event loop. */
async function readFile(
  storage: Pick<Storage, 'get'>,
  { key, size, hash }: StoredPayload,
): Promise<{ bytes: Buffer; isIntact: boolean }> {
  if (size > maxFileBytes) {
    throw new AppError('invalid', 'payload_too_large', `${size} bytes are too many for an invoice`);
  }
  const chunks: Buffer[] = [];
  const digest = createHash('sha256');
  let length = 0;
  for await (const chunk of await storage.get(key)) {
    length += (chunk as Buffer).length;
    if (length > size) break;
    chunks.push(chunk as Buffer);
    digest.update(chunk as Buffer);
  }
  return { bytes: Buffer.concat(chunks), isIntact: digest.digest('hex') === hash };
}

/** Limits the bytes in use. A request for more than the limit is granted when nothing else is in use. */
function createByteSemaphore(limit: number) {
  const waiting: { bytes: number; grant: () => void }[] = [];
  let used = 0;

  function grantWaiting(): void {
    for (let next = waiting[0]; next && (used === 0 || used + next.bytes <= limit); next = waiting[0]) {
      waiting.shift();
      used += next.bytes;
      next.grant();
    }
  }

  return {
    /** Waits in order of the calls until the bytes are available. @returns a function that releases them */
    async acquire(bytes: number): Promise<() => void> {
      await new Promise<void>((grant) => {
        waiting.push({ bytes, grant });
        grantWaiting();
      });
      return () => {
        used -= bytes;
        grantWaiting();
      };
    },
  };
}
