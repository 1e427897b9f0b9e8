import { createHash } from 'node:crypto';
import type { StoredPayload } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Storage } from '@app/storage';
import type { Content } from './invoice.ts';

/** The files of an invoice, as connection put them into storage. */
export type Payloads = {
  /**
   * Gives the bytes to `use`, at most as many as were announced; they count as held until it is done.
   * @throws AppError invalid `payload_damaged` for a raw payload that is not what was fetched, unavailable
   * `storage_unavailable`, and what `use` throws
   */
  read<T>(content: Content, use: (files: Files) => Promise<T>): Promise<T>;
  /** Removes files that came for nothing: those of `kept` stay. What can't be removed stays, and is told of. */
  discard(content: Content, kept: Content | null): Promise<void>;
};

/** `damaged`: the bytes of the document are not what was fetched. */
export type Files = { raw: Buffer; document: Buffer | null; damaged: boolean };

/** Of one file, and of all that are held at once: memory is bounded whatever providers send. */
const fileLimit = 26 * 1024 * 1024;
const heldLimit = 96 * 1024 * 1024;

type Deps = { storage: Pick<Storage, 'get' | 'remove'>; logger: Logger };

/** The storage does not answer: no fault of the invoice, which is read once it does. */
export function isStorageOutage(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'unavailable' && error.code === 'storage_unavailable';
}

export function createPayloads({ storage, logger }: Deps): Payloads {
  const room = createRoom(heldLimit);

  /** Hashed piece by piece: a document in one go would keep everything else waiting. */
  async function bytesOf({ key, size, hash }: StoredPayload): Promise<{ bytes: Buffer; isWhole: boolean }> {
    if (size > fileLimit)
      throw new AppError('invalid', 'payload_too_large', `${size} bytes are too many for an invoice`);
    const chunks: Buffer[] = [];
    const digest = createHash('sha256');
    let length = 0;
    for await (const chunk of await storage.get(key)) {
      length += (chunk as Buffer).length;
      if (length > size) break;
      chunks.push(chunk as Buffer);
      digest.update(chunk as Buffer);
    }
    return { bytes: Buffer.concat(chunks), isWhole: digest.digest('hex') === hash };
  }

  return {
    async read({ raw, document }, use) {
      const leave = await room.enter(raw.size + (document?.size ?? 0));
      try {
        const [ofRaw, ofDocument] = await Promise.all([bytesOf(raw), document ? bytesOf(document) : null]);
        if (!ofRaw.isWhole) {
          throw new AppError('invalid', 'payload_damaged', 'the stored payload is not what was fetched');
        }
        const damaged = ofDocument !== null && !ofDocument.isWhole;
        return await use({ raw: ofRaw.bytes, document: ofDocument?.bytes ?? null, damaged });
      } finally {
        leave();
      }
    },
    async discard(content, kept) {
      const known = kept ? keysOf(kept) : [];
      const spare = keysOf(content).filter((key) => !known.includes(key));
      const removed = await Promise.allSettled(spare.map((key) => storage.remove(key)));
      const error = removed.find((one) => one.status === 'rejected')?.reason;
      if (error) logger.warn('a file that came twice could not be removed', { error });
    },
  };
}

function keysOf({ raw, document }: Content): string[] {
  return [raw.key, ...(document ? [document.key] : [])];
}

/** Lets in as much as there is room for, in turn; what alone is larger than the room goes in alone. */
function createRoom(size: number): { enter(wanted: number): Promise<() => void> } {
  const waiting: { wanted: number; go: () => void }[] = [];
  let taken = 0;

  function letIn(): void {
    for (let next = waiting[0]; next && (taken === 0 || taken + next.wanted <= size); next = waiting[0]) {
      waiting.shift();
      taken += next.wanted;
      next.go();
    }
  }

  return {
    async enter(wanted) {
      await new Promise<void>((go) => {
        waiting.push({ wanted, go });
        letIn();
      });
      return () => {
        taken -= wanted;
        letIn();
      };
    },
  };
}
