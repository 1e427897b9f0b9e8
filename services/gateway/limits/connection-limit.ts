import { addressBlock } from '@app/http';
import { endWithError } from '../responses/client-error.ts';
import { clientAddress } from './client-address.ts';
import { createKeyedLimit } from './keyed-limit.ts';

type Socket = {
  remoteAddress?: string | undefined;
  end(text: string): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
};

/** How long a refused client has to read the response. */
const lingerMs = 1_000;

/**
 * @returns a function to be called with each new connection, and with the origin of the guide that
 * explains a refusal. Beyond `limit` connections of one address, the next `limit` get a 429 and are
 * closed; any more are cut without a response, so that responding is bounded too.
 */
export function limitConnections(limit: number): (socket: Socket, origin: string) => void {
  const served = createKeyedLimit(limit);
  const refused = createKeyedLimit(limit);
  const refusal = {
    status: '429 Too Many Requests',
    code: 'concurrency_limited',
    error: `more than ${limit} connections from your address; use those that you have again`,
    retryAfterS: 1,
  };

  return (socket, origin) => {
    const address = addressBlock(clientAddress(socket.remoteAddress, undefined, 0));
    const slots = [served, refused].find((some) => some.tryAcquire(address));
    if (!slots) {
      socket.destroy();
      return;
    }
    socket.once('close', () => slots.release(address));
    if (slots === served) return;
    endWithError(socket, origin, refusal);
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
