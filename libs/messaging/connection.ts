import { type Logger, waitAtMost } from '@app/runtime';
import { type Channel, type ChannelModel, connect, credentials, type RecoveringChannelModel } from 'amqplib';

/** Those that are connected now. */
const connected = new WeakSet<RecoveringChannelModel>();

/** An address, or a function that is called for it at each connection: only its user and password may change. */
export type BrokerUrl = string | (() => string);

type Options = {
  url: BrokerUrl;
  /** Shown in the broker's management UI. */
  name: string;
  /**
   * Sets everything up on a new connection. If it rejects, or the connection is lost before it ends, the connection is opened
   * again; a set-up that still runs then stops once `isLost` is true.
   */
  setUp: (model: ChannelModel, isLost: () => boolean) => Promise<void>;
  /** The connection was lost, perhaps while it was set up. */
  onLost: () => void;
  logger: Logger;
};

/** Connects to RabbitMQ, and reconnects whenever the connection is lost. Await `waitForConnect()` for the first connection. */
export async function connectWithRecovery(options: Options): Promise<RecoveringChannelModel> {
  const { url, name, setUp, onLost, logger } = options;
  const connection = await connect(withHeartbeat(currentUrl(url)), {
    credentials: credentialsOf(url),
    // Nagle's algorithm with delayed TCP acknowledgements would cost 20 ms a message.
    noDelay: true,
    keepAlive: true,
    // For the handshake alone.
    timeout: 10_000,
    clientProperties: { connection_name: name },
    recovery: {
      initialDelay: 100,
      maxDelay: 5_000,
      initialMaxRetries: 20,
      waitForConnect: false,
      async setup(model: ChannelModel) {
        // The library adds its listener only after this; an error event without a listener would end the process.
        model.on('error', () => undefined);
        let isLost = false;
        // The library listens for `close` only after the set-up: it would take a connection that is gone for one that is there.
        const lost = new Promise<never>((_resolve, reject) => {
          model.once('close', () => {
            isLost = true;
            reject(new Error('the connection was lost while it was set up'));
          });
        });
        lost.catch(() => undefined);
        try {
          await Promise.race([setUp(model, () => isLost), lost]);
        } catch (error) {
          // The library would close it and wait, for good if the connection is lost before the broker answers. It need not any more.
          const closed = Promise.race([model.close(), lost]).catch(() => undefined);
          await waitAtMost(closed, closeTimeoutMs);
          throw error;
        }
      },
    },
  });
  connection.on('connect', () => connected.add(connection));
  connection.on('disconnect', () => connected.delete(connection));
  connection.on('connect', () => logger.info('broker connected', { connection: name }));
  // Said with the first line of an outage, and when it changes: there may be a line each 5 s for hours.
  let said: string | undefined;
  const warn = (message: string, error: unknown) => {
    const cause = causeOf(error);
    logger.warn(message, { connection: name, ...(cause === said ? {} : { cause }) });
    said = cause;
  };
  connection.on('connect', () => {
    said = undefined;
  });
  connection.on('connect-failed', (error) => warn('broker cannot be reached', error));
  connection.on('disconnect', (error) => warn('broker connection lost', error));
  connection.on('error', (error) => warn('broker connection failed', error));
  connection.on('disconnect', onLost);
  connection.on('connect-failed', onLost);
  return connection;
}

/** Without its stack, which is of the library alone. A refused connection to a name with several addresses has an empty message. */
function causeOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { message?: string; code?: unknown };
  return message || String(code ?? 'unknown');
}

function currentUrl(url: BrokerUrl): string {
  return typeof url === 'string' ? url : url();
}

/** The library asks for `response` at each handshake. */
function credentialsOf(url: BrokerUrl) {
  const current = () => {
    const { username, password } = new URL(currentUrl(url));
    if (username === '') return credentials.plain('guest', 'guest');
    return credentials.plain(decodeURIComponent(username), decodeURIComponent(password));
  };
  return { ...current(), response: () => current().response() };
}

/** Detects a dead broker within half a minute; the broker's default of 60 s would take two minutes. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', '15');
  return address.href;
}

/** A failed channel closes its connection, so that there is one recovery path rather than one per channel. */
export function closeConnectionOnError<C extends Channel>(
  channel: C,
  model: ChannelModel,
  onError: (error: unknown) => void,
): C {
  channel.on('error', (error) => {
    onError(error);
    model.close().catch(() => undefined);
  });
  return channel;
}

const closeTimeoutMs = 2_000;

/**
 * Closes a connection, waiting 2 s at most: the library would wait for the broker's reply without bound. A connection attempt that
 * is under way is awaited first, since after `close` nobody listens to its errors, which would end the process.
 */
export async function disconnect(connection: RecoveringChannelModel): Promise<void> {
  if (!connected.has(connection)) await waitAtMost(attempted(connection), closeTimeoutMs);
  await waitAtMost(connection.close(), closeTimeoutMs);
}

/** Resolves once the attempt under way has succeeded or failed. */
function attempted(connection: RecoveringChannelModel): Promise<void> {
  return new Promise((resolve) => {
    connection.once('connect', () => resolve());
    connection.once('connect-failed', () => resolve());
  });
}
