import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@app/kernel';
import { type Body, concurrencyLimited } from './body-limit.ts';
import { createKeyedLimit } from './keyed-limit.ts';

type ReadBodyOptions = { req: IncomingMessage; res: ServerResponse; body: Body; address: string };

/** Resolves to the whole body, or to a part of it if the client left (then `res` is destroyed). Rejects with 408, 413, 429 or 503. */
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
  const perAddress = createKeyedLimit(maxBytesPerAddress);
  let total = 0;

  /** @throws AppError overloaded, too_many */
  function allocate(address: string, bytes: number): void {
    if (total + bytes > maxTotalBytes) throw new AppError('overloaded', 'overloaded', 'too many bodies at once');
    if (!perAddress.tryAcquire(address, bytes)) throw concurrencyLimited(`${maxBytesPerAddress / mib} MB of bodies`);
    total += bytes;
  }

  return ({ req, res, body, address }) =>
    new Promise((resolve, reject) => {
      let buffer: Buffer = Buffer.alloc(0);
      let size = 0;
      const timer = setTimeout(() => fail(requestTimeout()), timeoutMs);

      function add(chunk: Buffer): void {
        const needed = size + chunk.length;
        if (needed > body.maxBytes) throw body.tooLarge();
        if (needed > buffer.length) {
          // Doubled, so that a body of many small chunks is not copied for each of them.
          const capacity = size === 0 ? needed : Math.min(body.maxBytes, Math.max(needed, 2 * buffer.length));
          allocate(address, capacity - buffer.length);
          // Usually the body is a single chunk, which needs no copy.
          buffer = size === 0 ? chunk : Buffer.concat([buffer.subarray(0, size)], capacity);
        }
        if (size > 0) chunk.copy(buffer, size);
        size = needed;
      }

      function fail(error: unknown): void {
        stopReading();
        release();
        reject(error);
      }

      function stopReading(): void {
        clearTimeout(timer);
        req.removeAllListeners('data');
        req.removeAllListeners('end');
      }

      function release(): void {
        total -= buffer.length;
        perAddress.release(address, buffer.length);
        buffer = Buffer.alloc(0);
      }

      req.on('data', (chunk: Buffer) => {
        try {
          add(chunk);
        } catch (error) {
          fail(error);
        }
      });
      req.on('end', () => {
        stopReading();
        resolve(buffer.subarray(0, size));
      });
      res.on('close', () => {
        stopReading();
        release();
        resolve(buffer);
      });
      if (req.headers.expect !== undefined) res.writeContinue();
    });
}

export function requestTimeout(): AppError {
  return new AppError('request_timeout', 'request_timeout', 'the rest of the request did not arrive in time');
}
