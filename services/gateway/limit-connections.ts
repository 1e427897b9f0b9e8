import { addressForCounting, clientAddress } from './client-address.ts';
import { endWith } from './malformed.ts';
import { createShares } from './shares.ts';

type Socket = {
  remoteAddress?: string | undefined;
  end(text: string): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
};

/** How long a client that is refused has for reading why. */
const lingerMs = 1_000;

/**
 * For each new connection: one more than an address may have is told so and ended, whatever it sends; far more of them are
 * cut at once, so that telling them is bounded too.
 */
export function limitConnections(most: number): (socket: Socket) => void {
  const served = createShares(most);
  const refused = createShares(most);
  const refusal = {
    status: '429 Too Many Requests',
    code: 'concurrency_limited',
    error: `more than ${most} connections from your address; use those that you have again`,
  };

  return (socket) => {
    const address = addressForCounting(clientAddress(socket.remoteAddress, undefined, 0));
    const shares = [served, refused].find((some) => some.take(address));
    if (!shares) {
      socket.destroy();
      return;
    }
    socket.once('close', () => shares.giveBack(address));
    if (shares === served) return;
    endWith(socket, refusal);
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cut));
  };
}
