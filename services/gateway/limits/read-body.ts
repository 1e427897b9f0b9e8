import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@app/kernel';
import { type Body, concurrencyLimited } from './body-limit.ts';
import { createKeyedLimit, type KeyedLimit } from './keyed-limit.ts';

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
  const memory = new BodyMemory(maxTotalBytes, maxBytesPerAddress);

  return ({ req, res, body, address }) =>
    new Promise((resolve, reject) => {
      const buffer = new BodyBuffer(memory, body, address);
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
class BodyMemory {
  readonly #maxTotalBytes: number;
  readonly #maxBytesPerAddress: number;
  readonly #perAddress: KeyedLimit;
  #total = 0;

  constructor(maxTotalBytes: number, maxBytesPerAddress: number) {
    this.#maxTotalBytes = maxTotalBytes;
    this.#maxBytesPerAddress = maxBytesPerAddress;
    this.#perAddress = createKeyedLimit(maxBytesPerAddress);
  }

  /** @throws AppError overloaded, too_many */
  allocate(address: string, bytes: number): void {
    if (this.#total + bytes > this.#maxTotalBytes) {
      throw new AppError('overloaded', 'overloaded', 'too many bodies at once');
    }
    if (!this.#perAddress.tryAcquire(address, bytes)) {
      throw concurrencyLimited(`${this.#maxBytesPerAddress / mib} MB of bodies`);
    }
    this.#total += bytes;
  }

  free(address: string, bytes: number): void {
    this.#total -= bytes;
    this.#perAddress.release(address, bytes);
  }
}

class BodyBuffer {
  readonly #memory: BodyMemory;
  readonly #body: Body;
  readonly #address: string;
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  constructor(memory: BodyMemory, body: Body, address: string) {
    this.#memory = memory;
    this.#body = body;
    this.#address = address;
  }

  /** @throws AppError too_large, overloaded, too_many */
  add(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > this.#body.maxBytes) throw this.#body.tooLarge();
    if (size > this.#bytes.length) this.#grow(chunk, size);
    if (this.#size > 0) chunk.copy(this.#bytes, this.#size);
    this.#size = size;
  }

  #grow(chunk: Buffer, size: number): void {
    const isFirst = this.#size === 0;
    // Doubled, so that a body of many small chunks is not copied for each of them.
    const capacity = isFirst ? size : Math.min(this.#body.maxBytes, Math.max(size, 2 * this.#bytes.length));
    this.#memory.allocate(this.#address, capacity - this.#bytes.length);
    // Usually the body is a single chunk, which needs no copy.
    this.#bytes = isFirst ? chunk : Buffer.concat([this.#bytes.subarray(0, this.#size)], capacity);
  }

  content(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  release(): void {
    this.#memory.free(this.#address, this.#bytes.length);
    this.#bytes = Buffer.alloc(0);
  }
}

export function requestTimeout(): AppError {
  return new AppError('request_timeout', 'request_timeout', 'the rest of the request did not arrive in time');
}
