import type { Logger } from '@app/runtime';
import { type Channel, type ChannelModel, connect, type RecoveringChannelModel } from 'amqplib';

/** Those that are connected at this moment. */
const up = new WeakSet<RecoveringChannelModel>();

type Options = {
  url: string;
  /** What the broker shows of the connection. */
  name: string;
  /** Sets everything up on a new connection; where it fails, there is another one. */
  setUp: (model: ChannelModel) => Promise<void>;
  logger: Logger;
};

/** A connection to RabbitMQ that is made again and again; resolves when there is a first one. */
export async function connectWithRecovery({ url, name, setUp, logger }: Options): Promise<RecoveringChannelModel> {
  const connection = await connect(withHeartbeat(url), {
    // Nagle meeting delayed acknowledgements costs 20 ms a message.
    noDelay: true,
    keepAlive: true,
    // Of the handshake alone.
    timeout: 10_000,
    clientProperties: { connection_name: name },
    recovery: {
      ...{ initialDelay: 100, maxDelay: 5_000, initialMaxRetries: 20, waitForConnect: false },
      async setup(model: ChannelModel) {
        // The library listens only once this is done; until then an error without a listener would end the process.
        model.on('error', () => undefined);
        await setUp(model);
      },
    },
  });
  connection.on('connect', () => up.add(connection));
  connection.on('disconnect', () => up.delete(connection));
  connection.on('connect', () => logger.info('broker connected', { connection: name }));
  connection.on('connect-failed', (error) => logger.warn('broker cannot be reached', { connection: name, error }));
  connection.on('disconnect', (error) => logger.warn('broker connection lost', { connection: name, error }));
  connection.on('error', (error) => logger.warn('broker connection failed', { connection: name, error }));
  return connection;
}

/** A silent broker is noticed within half a minute, not the two that its own default of 60 s takes. */
function withHeartbeat(url: string): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', '15');
  return address.href;
}

/** A broken channel takes the connection with it, so that there is one way back and not one per channel. */
export function closeConnectionOnError<C extends Channel>(
  channel: C,
  model: ChannelModel,
  failed: (error: unknown) => void,
): C {
  channel.on('error', (error) => {
    failed(error);
    model.close().catch(() => undefined);
  });
  return channel;
}

const closedWithinMs = 2_000;

/**
 * The library waits for the broker's word without end, also where the connection broke just before; and to one that it is
 * opening when it is closed nobody listens, so that its failure would end the process.
 */
export async function disconnect(connection: RecoveringChannelModel): Promise<void> {
  if (!up.has(connection)) await atMost(decided(connection));
  await atMost(connection.close());
}

/** The attempt under way has succeeded or failed. */
function decided(connection: RecoveringChannelModel): Promise<void> {
  return new Promise((resolve) => {
    connection.once('connect', () => resolve());
    connection.once('connect-failed', () => resolve());
  });
}

async function atMost(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closedWithinMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
