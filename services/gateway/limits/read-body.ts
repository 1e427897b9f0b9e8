import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@app/kernel';
import { type Body, concurrencyLimited } from './body-limit.ts';
import { createKeyedLimit } from './keyed-limit.ts';

type ReadBodyOptions = { req: IncomingMessage; res: ServerResponse; body: Body; address: string };

/**
 * Resolves to the whole body, or to a part of it if the client left (then `res` is destroyed).
 * Rejects with 408, 413, 429 or 503.
 */
export type ReadBody = (taking: ReadBodyOptions) => Promise<Buffer>;

type Options = {
  /** How long a body may take to arrive. */
  timeoutMs: number;
  maxTotalBytes?: number;
  maxBytesPerAddress?: number;
};

const mib = 1024 * 1024;

/**
 * Buffers small bodies until they are whole, so that a slow client occupies a socket and some bytes but no service. The memory
 * is bounded in total and for each address; a body counts until its request has been answered.
 */
export function createBodyReader({
  timeoutMs,
  maxTotalBytes = 64 * mib,
  maxBytesPerAddress = 16 * mib,
}: Options): ReadBody {
  const memory = createBodyMemory(maxTotalBytes, maxBytesPerAddress);

  return ({ req, res, body, address }) =>
    new Promise((resolve, reject) => {
      const buffer = createBodyBuffer(memory, body, address);
      const stop = () => {
        clearTimeout(timer);
        req.removeAllListeners('data');
        req.removeAllListeners('end');
      };
      const fail = (error: unknown) => {
        stop();
        buffer.release();
        reject(error);
      };
      const timer = setTimeout(() => fail(requestTimeout()), timeoutMs);

      req.on('data', (chunk: Buffer) => {
        try {
          buffer.add(chunk);
        } catch (error) {
          fail(error);
        }
      });
      req.on('end', () => {
        stop();
        resolve(buffer.content());
      });
      res.on('close', () => {
        stop();
        buffer.release();
        resolve(buffer.content());
      });
      if (req.headers.expect !== undefined) res.writeContinue();
    });
}

/** The memory that all buffered bodies share. */
function createBodyMemory(maxTotalBytes: number, maxBytesPerAddress: number) {
  const perAddress = createKeyedLimit(maxBytesPerAddress);
  let total = 0;
  return {
    /** @throws AppError overloaded, too_many */
    allocate(address: string, bytes: number): void {
      if (total + bytes > maxTotalBytes) throw new AppError('overloaded', 'overloaded', 'too many bodies at once');
      if (!perAddress.tryAcquire(address, bytes)) {
        throw concurrencyLimited(`${maxBytesPerAddress / mib} MB of bodies`);
      }
      total += bytes;
    },
    free(address: string, bytes: number): void {
      total -= bytes;
      perAddress.release(address, bytes);
    },
  };
}

/** One body, of which more and more arrives. */
function createBodyBuffer(memory: ReturnType<typeof createBodyMemory>, body: Body, address: string) {
  let bytes: Buffer = Buffer.alloc(0);
  let size = 0;

  function grow(chunk: Buffer, wanted: number): void {
    const isFirst = size === 0;
    // Doubled, so that a body of many small chunks is not copied for each of them.
    const capacity = isFirst ? wanted : Math.min(body.maxBytes, Math.max(wanted, 2 * bytes.length));
    memory.allocate(address, capacity - bytes.length);
    // Usually the body is a single chunk, which needs no copy.
    bytes = isFirst ? chunk : Buffer.concat([bytes.subarray(0, size)], capacity);
  }

  return {
    /** @throws AppError too_large, overloaded, too_many */
    add(chunk: Buffer): void {
      const wanted = size + chunk.length;
      if (wanted > body.maxBytes) throw body.tooLarge();
      if (wanted > bytes.length) grow(chunk, wanted);
      if (size > 0) chunk.copy(bytes, size);
      size = wanted;
    },
    content: () => bytes.subarray(0, size),
    release(): void {
      memory.free(address, bytes.length);
      bytes = Buffer.alloc(0);
    },
  };
}

export function requestTimeout(): AppError {
  return new AppError('request_timeout', 'request_timeout', 'the rest of the request did not arrive in time');
}
