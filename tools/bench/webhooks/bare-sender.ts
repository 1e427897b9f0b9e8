import { createServer } from 'node:http';
import { connect } from 'amqplib';
import { Pool } from 'undici';

/**
 * The baseline of the dispatcher: consumes the same messages and POSTs them with the same client, without signing or storing,
 * and acknowledges once all answered. Settings: BARE_URLS (comma-separated), BARE_AMQP, BARE_NAMESPACE, BARE_PORT.
 */
const connections = 16;
const prefetch = 256;

async function main(): Promise<void> {
  const { BARE_URLS = '', BARE_AMQP = '', BARE_NAMESPACE = '', BARE_PORT } = process.env;
  const urls = BARE_URLS.split(',').map((text) => new URL(text));
  const targets = urls.map(({ origin, pathname }) => ({ path: pathname, pool: new Pool(origin, { connections }) }));
  const headers = { 'content-type': 'application/json' };

  type Event = { type: string; time: string; data: { payload: object } };

  /** The message holds one event or a list. */
  async function sendAll(content: Buffer): Promise<void> {
    await Promise.all([JSON.parse(content.toString()) as Event | Event[]].flat().map(send));
  }

  async function send({ type, time, data }: Event): Promise<void> {
    const body = JSON.stringify({ event: type.replace('.v1', ''), created_at: time, data: data.payload });
    await Promise.all(
      targets.map(async ({ path, pool }) => {
        const response = await pool.request({ method: 'POST', path, headers, body });
        await response.body.dump();
      }),
    );
  }

  const connection = await connect(BARE_AMQP, { noDelay: true });
  const channel = await connection.createChannel();
  const exchange = `${BARE_NAMESPACE}domain-events`;
  const queue = `${BARE_NAMESPACE}webhook-dispatcher.events`;
  await channel.assertExchange(exchange, 'topic', { durable: true });
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.bindQueue(queue, exchange, 'ticket.status_changed.v1');
  await channel.prefetch(prefetch);
  await channel.consume(queue, (message) => {
    if (message) void sendAll(message.content).then(() => channel.ack(message));
  });
  createServer((_req, res) => void res.end()).listen(Number(BARE_PORT), '127.0.0.1');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
