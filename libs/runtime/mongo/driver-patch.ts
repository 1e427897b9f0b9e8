// @ts-expect-error: the driver has no types for its own parts
import { Connection } from 'mongodb/lib/cmap/connection.js';

/** What is used of a connection of the driver, whose sockets no public part of it shows. */
type DriverConnection = NodeJS.EventEmitter & {
  error: Error | null;
  writeCommand(...given: unknown[]): Promise<void>;
};

const connections: DriverConnection = Connection.prototype;
const { writeCommand } = connections;

/**
 * A command fails if its connection closes while it is written. The driver (up to 7.9) waits for the socket's `drain` alone, which
 * never comes once the socket is destroyed: a command that begins before the socket's `close` event does would wait for good, and
 * with it its batch or message.
 */
connections.writeCommand = async function (...given) {
  const { promise: closed, reject } = Promise.withResolvers<never>();
  const onClose = () => reject(this.error);
  this.once('close', onClose);
  try {
    await Promise.race([writeCommand.apply(this, given), closed]);
  } finally {
    this.off('close', onClose);
  }
};
