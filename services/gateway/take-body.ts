import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@app/kernel';
import { type Body, tooMuchAtOnce } from './body-limit.ts';
import { createShares } from './shares.ts';

type Taking = { req: IncomingMessage; res: ServerResponse; body: Body; address: string };

/** Reads a body whole. Rejects with 408, 413, 429 or 503; where the client left, `res` is destroyed and the body is not whole. */
export type TakeBody = (taking: Taking) => Promise<Buffer>;

type Options = {
  /** How long a body may take to arrive. */
  withinMs: number;
  mostBytes?: number;
  mostBytesOfAddress?: number;
};

const mib = 1024 * 1024;

/**
 * Small bodies are held until they are whole, so that one that never comes costs a socket and the bytes that did come, and
 * no service or other caller waits for it. The memory for it is bounded in all and for each address; a body counts until
 * its request is answered.
 */
export function createTakeBody({ withinMs, mostBytes = 64 * mib, mostBytesOfAddress = 16 * mib }: Options): TakeBody {
  const shares = createShares(mostBytesOfAddress);
  let inAll = 0;

  /** @throws AppError where there is no room */
  function charge(address: string, bytes: number): void {
    if (inAll + bytes > mostBytes) throw new AppError('overloaded', 'overloaded', 'too many bodies at once');
    if (!shares.take(address, bytes)) throw tooMuchAtOnce(`${mostBytesOfAddress / mib} MB of bodies`);
    inAll += bytes;
  }

  return ({ req, res, body, address }) =>
    new Promise((resolve, reject) => {
      let held: Buffer = Buffer.alloc(0);
      let size = 0;
      const timer = setTimeout(() => fail(restLate()), withinMs);

      function add(chunk: Buffer): void {
        const needed = size + chunk.length;
        if (needed > body.maxBytes) throw body.tooLarge();
        if (needed > held.length) {
          // By doubling: a body in many small pieces is not copied for each of them.
          const room = size === 0 ? needed : Math.min(body.maxBytes, Math.max(needed, 2 * held.length));
          charge(address, room - held.length);
          // Usually it comes in one piece, which is taken as it is.
          held = size === 0 ? chunk : Buffer.concat([held.subarray(0, size)], room);
        }
        if (size > 0) chunk.copy(held, size);
        size = needed;
      }

      function fail(error: unknown): void {
        settle();
        release();
        reject(error);
      }

      function settle(): void {
        clearTimeout(timer);
        req.removeAllListeners('data');
        req.removeAllListeners('end');
      }

      function release(): void {
        inAll -= held.length;
        shares.giveBack(address, held.length);
        held = Buffer.alloc(0);
      }

      req.on('data', (chunk: Buffer) => {
        try {
          add(chunk);
        } catch (error) {
          fail(error);
        }
      });
      req.on('end', () => {
        settle();
        resolve(held.subarray(0, size));
      });
      res.on('close', () => {
        settle();
        release();
        resolve(held);
      });
      if (req.headers.expect !== undefined) res.writeContinue();
    });
}

export function restLate(): AppError {
  return new AppError('request_timeout', 'request_timeout', 'the rest of the request did not arrive in time');
}
