// Pictures come from strangers: they are decoded in a process of its own, by Rust rather than C, and `@napi-rs/image` has the licence of
// the platform's other packages, which that of libvips, behind `sharp`, is not.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import { FairSemaphore, WorkerKilled, WorkerPool } from '@app/runtime/workers';
import type { LinkedFile, Storage } from '@app/storage';
import type { StoredFile } from '../tickets/ticket.ts';
import type { Outcome, Task } from './thumbnail-worker.ts';

export type Thumbnails = ReturnType<typeof createThumbnails>;

type Deps = { storage: Storage; logger: Logger; timeoutMs?: number };

const pictureTypes = ['image/png', 'image/jpeg'];
const type = 'image/webp';
/** One is decoded at a time, so that their memory does not add up, while the next one is loaded. */
const turns = { total: 2, perKey: 1, throttleMs: 60_000, queueThrottled: true };
/** A picture that took more processor time has a worker of its own: the next one starts with a small heap. */
const limits = { memoryMb: 128, reuseBelowMs: 1_000, idleMs: 30_000 };

/**
 * The key under which the thumbnail of a file is stored, as unguessable as the file's. So whoever knows the file finds its
 * thumbnail, and nothing else has to be kept of it: not by a backup, nor by an erasure.
 */
export function thumbnailKey(key: string): string {
  return createHash('sha256').update(`thumbnail.v1.${key}`).digest('base64url');
}

/** Makes thumbnails in a worker process, bounded in pixels, memory and time (10 s). */
export function createThumbnails({ storage, logger, timeoutMs = 10_000 }: Deps) {
  const program = join(import.meta.dirname, 'thumbnail-worker.ts');
  const pool = new WorkerPool<Task, Outcome>({ program, size: 1, timeoutMs, ...limits });
  const semaphore = new FairSemaphore(turns);
  const running = new Map<string, Promise<void>>();

  async function decode(file: StoredFile): Promise<Outcome> {
    try {
      return (await pool.run({ picture: await contentOf(storage, file) })).result;
    } catch (error) {
      if (error instanceof WorkerKilled) return { refused: `it takes too much ${error.cause}` };
      throw error;
    }
  }

  async function make(file: StoredFile, key: string): Promise<void> {
    const outcome = await decode(file);
    if ('refused' in outcome) logger.info('a picture has no thumbnail', { hash: file.hash, reason: outcome.refused });
    // An empty file says that there is none, so that a bomb is tried once.
    const content = 'thumbnail' in outcome ? [Buffer.from(outcome.thumbnail)] : [];
    await storage.put(Readable.from(content, { objectMode: false }), { under: key, name: file.name, type });
  }

  /** Requests for the same thumbnail share its making. Two replicas may both make it: then it is made once more at worst. */
  function makeOnce(file: StoredFile, key: string, owner: string): Promise<void> {
    const made = running.get(key) ?? semaphore.run(owner, () => make(file, key)).finally(() => running.delete(key));
    running.set(key, made);
    return made;
  }

  return {
    /**
     * The thumbnail of a stored file, made when it is first asked for. Who may read the file may read it. `owner`: the company that
     * asks, since turns are fair between companies.
     * @throws AppError not_found `thumbnail_not_found` if the file is no picture, or none that can be decoded within the bounds
     */
    async of(file: StoredFile, owner: string): Promise<LinkedFile> {
      const key = thumbnailKey(file.key);
      if (!pictureTypes.includes(file.type)) throw noThumbnail();
      if (!(await storage.stat(key))) await makeOnce(file, key, owner);
      if (!(await storage.stat(key))?.size) throw noThumbnail();
      return { key, name: `${file.name}.webp`, type };
    },
    /** Refuses what waits, with AppError unavailable `service_unavailable`, and ends the worker. */
    async close(): Promise<void> {
      semaphore.close(new AppError('unavailable', 'service_unavailable', 'the service is stopping'));
      await pool.close();
    },
  };
}

async function contentOf(storage: Storage, { key, size }: StoredFile): Promise<Buffer> {
  const content = Buffer.allocUnsafe(size);
  let length = 0;
  for await (const chunk of await storage.get(key)) length += (chunk as Buffer).copy(content, length);
  return content.subarray(0, length);
}

function noThumbnail(): AppError {
  return new AppError('not_found', 'thumbnail_not_found', 'this file is no picture that can be shown small');
}
