import { freePort } from '@app/infra';
import { nodeEnvironment, serviceNodeArguments } from '@app/start';
import { connect } from 'amqplib';
import type { Bench } from '../harness/bench.ts';
import { startServer } from '../harness/meters/processes.ts';
import { migrate } from '../harness/platform/migrate.ts';
import { portOf } from '../harness/platform/platform.ts';

const consumers = ['company-copies', 'contractor-links'];

/**
 * Starts a second ticket service with the launcher's settings, and with a database and queues of its own.
 * @returns its port and pid
 */
export async function startTicketService(bench: Bench, namespace: string): Promise<{ port: number; pid: number }> {
  const { platform, processes, root } = bench;
  const { keys, mongodb, amqp } = platform;
  const [port, opsPort] = [await freePort(), await freePort()];
  const env = {
    ...nodeEnvironment(platform.stackDir),
    ...{ NODE_ENV: 'production', LOG_LEVEL: 'warn', HOST: '127.0.0.1', NAMESPACE: namespace },
    ...{ PORT: String(port), OPS_PORT: String(opsPort), MONGODB_URL: mongodb, AMQP_URL: amqp },
    INTERNAL_TOKEN_PUBLIC_KEYS: keys['INTERNAL_TOKEN_PUBLIC_KEYS'],
    DOWNLOAD_LINK_KEYS: keys['DOWNLOAD_LINK_KEYS'],
    PUBLIC_TICKET_API_URL: platform.ticketApi,
    PUBLIC_DOWNLOAD_URL: platform.ticketApi,
    IDENTITY_URL: `http://127.0.0.1:${portOf(platform, 'identity')}`,
  };
  bench.onEnd(() => removeQueues(amqp, namespace));
  const ready = { port: opsPort, path: '/readyz' };
  const program = 'services/ticket/main.ts';
  const nodeArguments = serviceNodeArguments;
  await migrate({ root, program, env });
  const service = await startServer({ processes, root, program, nodeArguments, env, ready });
  bench.onEnd(() => service.stop());
  return { port, pid: service.pid };
}

async function removeQueues(amqp: string, namespace: string): Promise<void> {
  const connection = await connect(amqp);
  const channel = await connection.createChannel();
  for (const consumer of consumers) {
    for (const suffix of ['', '.retry', '.dead']) await channel.deleteQueue(`${namespace}ticket.${consumer}${suffix}`);
  }
  await channel.deleteExchange(`${namespace}domain-events`);
  await connection.close();
}
