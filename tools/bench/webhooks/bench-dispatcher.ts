import { freePort, type RunningProcess } from '@app/infra';
import { newId } from '@app/kernel';
import { nodeEnvironment, serviceNodeArguments } from '@app/start';
import { connect } from 'amqplib';
import { MongoClient } from 'mongodb';
import type { Bench } from '../harness/bench.ts';
import { startServer } from '../harness/meters/processes.ts';
import { callerOf, internalToken } from '../harness/platform/accounts.ts';
import { migrate } from '../harness/platform/migrate.ts';
import { bearer, postJson } from '../harness/platform/post-json.ts';

/** A dispatcher of its own beside the platform's, with its own database and queue. */
export type BenchDispatcher = {
  namespace: string;
  pid: number;
  /** Registers endpoints of a new company, by the API. @returns the company's id */
  createCompany(urls: string[]): Promise<string>;
  stop(): Promise<void>;
};

const subscribed = ['ticket.status_changed'];

/** Runs it with the launcher's settings. `certFile`: the certificate of its receivers. */
export async function startDispatcher(bench: Bench, namespace: string, certFile: string): Promise<BenchDispatcher> {
  const { platform, processes, root } = bench;
  const { keys, mongodb, amqp } = platform;
  const [port, opsPort] = [await freePort(), await freePort()];
  const env = {
    ...nodeEnvironment(platform.stackDir),
    ...bench.profiling,
    ...{ NODE_ENV: 'production', LOG_LEVEL: 'warn', HOST: '127.0.0.1', NAMESPACE: namespace },
    ...{ PORT: String(port), OPS_PORT: String(opsPort), MONGODB_URL: mongodb, AMQP_URL: amqp },
    ...{ NODE_EXTRA_CA_CERTS: certFile, WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' },
    INTERNAL_TOKEN_PUBLIC_KEYS: keys['INTERNAL_TOKEN_PUBLIC_KEYS'],
    CREDENTIALS_KEYS: keys['CREDENTIALS_KEYS'],
  };
  const ready = { port: opsPort, path: '/readyz' };
  const program = 'services/webhook-dispatcher/main.ts';
  const nodeArguments = serviceNodeArguments;
  await migrate({ root, program, env });
  const running: RunningProcess = await startServer({ processes, root, program, nodeArguments, env, ready });
  bench.nameProfile(`the dispatcher of ${namespace}`, running.pid);
  return {
    namespace,
    pid: running.pid,
    stop: () => running.stop(),
    async createCompany(urls) {
      const companyId = newId();
      const caller = callerOf({ companyId, name: 'Bench webhooks', kind: 'client', userId: newId() });
      const token = await internalToken(platform, { ...caller, via: 'session' });
      const endpoints = `http://127.0.0.1:${port}/webhooks/endpoints`;
      for (const url of urls) await postJson(endpoints, { name: 'bench', url, events: subscribed }, bearer(token));
      return companyId;
    },
  };
}

/** Removes the database, the queues and the exchange of a namespace. */
export async function removeNamespace({ mongodb, amqp }: Bench['platform'], namespace: string): Promise<void> {
  const client = await MongoClient.connect(mongodb);
  await client.db(`${namespace}webhook-dispatcher`).dropDatabase();
  await client.close();
  const connection = await connect(amqp);
  const channel = await connection.createChannel();
  for (const suffix of ['', '.retry', '.dead'])
    await channel.deleteQueue(`${namespace}webhook-dispatcher.events${suffix}`);
  await channel.deleteExchange(`${namespace}domain-events`);
  await connection.close();
}
