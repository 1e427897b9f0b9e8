import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startReceiver } from '@app/testing';
import { type Db, MongoClient } from 'mongodb';
import { anInvoice, newBuyer, newJob } from '../e2e/invoicing.ts';
import { newCompany, ok, subscribe } from '../e2e/platform.ts';
import type { Cluster } from '../faults/cluster/cluster.ts';
import type { Replica } from '../faults/cluster/replicas.ts';
import type { Prometheus, Targets } from './prometheus.ts';

/** A platform that Prometheus watches, and a client company with what makes events, webhooks and invoices. */
export type World = Awaited<ReturnType<typeof openWorld>>;

export async function openWorld(cluster: Cluster, prometheus: Prometheus) {
  const client = await newCompany('client');
  const { account, contractor } = await newBuyer(client);
  await ok(account.connect());
  const receiver = await startReceiver([], join(cluster.dir, 'tls'));
  const { id: endpointId } = await subscribe(client, receiver, '/answers');
  const { path: ticketPath } = await newJob(client, contractor);
  const mongo = new MongoClient(cluster.mongodbUrl);
  return {
    cluster,
    prometheus,
    client,
    contractor,
    account,
    /** Of a ticket that the contractor works on. */
    ticketPath,
    receiver,
    /** An endpoint whose receiver answers. */
    endpointId,
    /** The database of a service. */
    database: (service: string): Db => mongo.db(`${cluster.namespace}${service}`),
    async close(): Promise<void> {
      await mongo.close();
      await receiver.close();
    },
  };
}

export function replicasOf({ cluster }: World, service: string): Replica[] {
  return cluster.replicas.filter((replica) => replica.service === service);
}

/** Where each process of the cluster shows its metrics. */
export function targetsOf({ replicas }: Cluster): Targets {
  const byService = Map.groupBy(replicas, ({ service }) => service);
  return Object.fromEntries([...byService].map(([service, of]) => [service, of.map(({ opsPort }) => opsPort)]));
}

/** A change that causes a webhook to every endpoint of the client. */
export function writeNote({ client, ticketPath }: World): Promise<unknown> {
  return ok(client.api(`POST ${ticketPath}/notes`, { note: 'We are on our way.', type: 'public' }));
}

/** A day of work in small: changes with their events and webhooks, and invoices that no ticket fits. */
export async function work(world: World, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    await writeNote(world);
    await world.account.put(anInvoice());
  }
}

/** Does it again and again, with this pause, until the returned function is called, which waits for the last time. */
export function repeatedly(pauseMs: number, act: () => Promise<unknown>): () => Promise<void> {
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      // Under a fault some of it fails.
      await act().catch(() => undefined);
      await delay(pauseMs);
    }
  };
  const running = run();
  return () => {
    stopped = true;
    return running;
  };
}
