import type { IncomingMessage } from 'node:http';

/** What a client may still send after a response that did not wait for its body. */
const maxDiscardedBytes = 32 * 1024 * 1024;
const maxDiscardMs = 10_000;

/**
 * Reads and drops the rest of a request that has been answered, so that its client gets to read the response: closing the
 * connection at once would reset it. Beyond the bounds above the connection is cut.
 */
export function discardRest(req: IncomingMessage): void {
  const { socket } = req;
  if (req.complete || socket.destroyed) return;
  // By this Node ends a connection whose client asked for that (`Connection: close`) once the response is written. It is called after the
  // callback of `res.end`, in which we are: held by "that a service refuses halfway …" of test/proxy/bodies.int.test.ts.
  const { destroySoon } = socket;
  socket.destroySoon = () => void socket.end();
  let bytes = 0;
  const cut = setTimeout(() => socket.destroy(), maxDiscardMs);
  const end = () => {
    clearTimeout(cut);
    socket.off('close', end);
    socket.destroySoon = destroySoon;
    if (socket.writableEnded) socket.destroy();
  };
  req.removeAllListeners('data');
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxDiscardedBytes) socket.destroy();
  });
  req.on('end', end);
  // Not `close` of the request: Node does not emit it once the response has ended.
  socket.on('close', end);
  req.resume();
}
