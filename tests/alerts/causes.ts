import { setTimeout as delay } from 'node:timers/promises';
import { internalTokenSigner } from '@app/http';
import { aCaller, answer, eventually } from '@app/testing';
import { connect } from 'amqplib';
import { anInvoice, linesOf, newJob, ok } from '../e2e/invoicing.ts';
import { caller, subscribe } from '../e2e/platform.ts';
import { until } from '../faults/waiting.ts';
import { repeatedly, replicasOf, targetsOf, type World, writeNote } from './world.ts';

type Cure = () => unknown;

/** A fault and the alerts that it is there to set off. Others may fire as well: one fault has several consequences. */
export type Cause = {
  fault: string;
  /** As `name severity`. */
  alerts: string[];
  /** Resolves once the fault is there, to what ends it. */
  begin(world: World): Promise<Cure>;
};

const patienceMs = 120_000;

export const causes: Cause[] = [
  {
    fault: 'a receiver refuses ten deliveries in a row, and their retries',
    alerts: ['WebhookEndpointDisabled ticket'],
    async begin(world) {
      world.receiver.behave(answer(500), '/refuses');
      await subscribe(world.client, world.receiver, '/refuses');
      for (let count = 0; count < 10; count += 1) await writeNote(world);
      return () => undefined;
    },
  },
  {
    fault: 'the secret of an endpoint was sealed with a key that is gone',
    alerts: ['WebhooksNotSent page'],
    async begin(world) {
      const endpoints = world.database('webhook-dispatcher').collection<{ _id: string }>('endpoints');
      const found = await endpoints.findOne({ _id: world.endpointId });
      const write = (sealedSecret: string) =>
        endpoints.updateOne({ _id: world.endpointId }, { $set: { sealedSecret } });
      const { sealedSecret } = found as unknown as { sealedSecret: string };
      await write(sealedSecret.replace(/^[^.:]+/, 'gone'));
      // Restarted, since a process caches endpoints and would read the secret only later.
      await Promise.all(replicasOf(world, 'webhook-dispatcher').map((replica) => replica.kill(0)));
      const stop = repeatedly(500, () => writeNote(world));
      return async () => {
        await stop();
        await write(sealedSecret);
      };
    },
  },
  {
    fault: 'two processes of purchase hang, and their callers wait in vain',
    alerts: ['ServiceDown page', 'ReplicaDown ticket', 'ApiErrorBudgetBurning page'],
    async begin(world) {
      const replicas = replicasOf(world, 'purchase');
      for (const replica of replicas) replica.pause();
      const stop = repeatedly(200, () => ok(world.client.api(`GET ${world.ticketPath}/purchases`)));
      return async () => {
        for (const replica of replicas) replica.resume();
        await stop();
      };
    },
  },
  {
    fault: 'connection is missing in what Prometheus is told to scrape',
    alerts: ['ServiceMissing page'],
    async begin({ cluster, prometheus }) {
      const { connection: _, ...rest } = targetsOf(cluster);
      prometheus.setTargets(rest);
      return () => prometheus.setTargets(targetsOf(cluster));
    },
  },
  {
    fault: 'a process of purchase ends again and again',
    alerts: ['ServiceRestarting ticket'],
    async begin(world) {
      const [replica] = replicasOf(world, 'purchase');
      if (!replica) throw new Error('there is no purchase');
      const started = `process_start_time_seconds{job="purchase",instance="127.0.0.1:${replica.opsPort}"}`;
      const stop = repeatedly(0, async () => {
        const [before] = await world.prometheus.query(started);
        await replica.kill(0);
        const isSeen = async () => {
          const [now] = await world.prometheus.query(started);
          return now !== undefined && now !== before;
        };
        await until(isSeen, patienceMs, 'a process that was started again is not seen');
      });
      return stop;
    },
  },
  {
    fault: 'a process of purchase gets the processor for a moment every second',
    alerts: ['EventLoopBlocked ticket'],
    async begin(world) {
      const [replica] = replicasOf(world, 'purchase');
      return repeatedly(300, async () => {
        replica?.pause();
        await delay(1_000);
        replica?.resume();
      });
    },
  },
  {
    fault: 'RabbitMQ is short of memory while tickets are written',
    alerts: ['BrokerBlocked page', 'OutboxStuck page'],
    async begin(world) {
      const { rabbit } = world.cluster;
      await rabbit.control(0, ['set_vm_memory_high_watermark', '0.0001']);
      const stop = repeatedly(500, () => writeNote(world));
      return async () => {
        await rabbit.control(0, ['set_vm_memory_high_watermark', '0.4']);
        await stop();
      };
    },
  },
  {
    fault: 'the broker is cut off from purchase, of which nobody writes anything',
    alerts: ['BrokerUnreachable page'],
    async begin(world) {
      const { network } = world.cluster;
      const disturbances = replicasOf(world, 'purchase').map(({ name }) => network.disturb(name, 'rabbitmq', 'drop'));
      return () => disturbances.map(({ end }) => end());
    },
  },
  {
    fault: 'a message that nobody can read',
    alerts: ['DeadLetters ticket'],
    async begin(world) {
      await sendUnreadable(world, 'ticket.companies');
      return () => undefined;
    },
  },
  {
    fault: 'the database does not answer invoice-reconciliation, and its queue fills',
    alerts: ['QueueGrowing ticket'],
    async begin(world) {
      const { network } = world.cluster;
      const disturbances = replicasOf(world, 'invoice-reconciliation').map(({ name }) =>
        network.disturb(name, 'mongodb', 'hang'),
      );
      await sendChangeTo(world, 'invoice-reconciliation.tickets', 1_500);
      return () => disturbances.map(({ end }) => end());
    },
  },
  {
    fault: 'the database does not answer ticket, which is asked for much',
    alerts: ['DatabasePoolExhausted ticket', 'NotReady page'],
    async begin(world) {
      const { network, keys } = world.cluster;
      const replicas = replicasOf(world, 'ticket');
      const sign = internalTokenSigner(keys.INTERNAL_TOKEN_PRIVATE_KEY, 3_600);
      const token = await sign({ kind: 'caller', caller: aCaller() }, ['ticket']);
      const disturbances = replicas.map(({ name }) => network.disturb(name, 'mongodb', 'hang'));
      // Past the gateway and the balancer, which hold requests back from what is slow.
      const stops = replicas.flatMap(({ apiPort }) => {
        const api = caller(`http://127.0.0.1:${apiPort}`, token);
        return Array.from({ length: 100 }, () => repeatedly(100, () => api('GET /api/v3.0/tickets')));
      });
      return async () => {
        for (const { end } of disturbances) end();
        await Promise.all(stops.map((stop) => stop()));
      };
    },
  },
  {
    fault: 'the database takes no writes (fsyncLock) while webhooks, polls and invoices become due',
    alerts: ['WebhooksOverdue page', 'PollsOverdue ticket', 'InvoicesOverdue ticket'],
    async begin(world) {
      const { client, contractor, receiver, account, cluster } = world;
      receiver.behave(answer(500), '/refuses-again');
      await subscribe(client, receiver, '/refuses-again');
      await account.queued(await account.put(anInvoice()));
      const areSoonDue = async (service: string, collection: string, field: string) => {
        const jobs = world.database(service).collection(collection);
        return (await jobs.countDocuments({ [field]: { $gt: new Date() } })) > 0;
      };
      const stop = repeatedly(1_000, async () => {
        await writeNote(world);
        // A new job of its supplier has the invoice matched again, after REMATCH_DELAY.
        await newJob(client, contractor);
      });
      const areBothSoonDue = async () => {
        const found = await Promise.all([
          areSoonDue('webhook-dispatcher', 'deliveries', 'dueAt'),
          areSoonDue('invoice-reconciliation', 'invoices', 'rematch_at'),
        ]);
        return found.every(Boolean);
      };
      await until(areBothSoonDue, patienceMs, 'there are never a delivery and an invoice that become due soon');
      await cluster.mongo.command(0, { fsync: 1, lock: true });
      return async () => {
        await cluster.mongo.command(0, { fsyncUnlock: 1 });
        await stop();
      };
    },
  },
  {
    fault:
      'invoices are fetched, and invoice-reconciliation hangs for more than a minute; webhooks wait for six seconds',
    alerts: ['InvoiceErrorBudgetBurning page', 'WebhookErrorBudgetBurning page'],
    async begin(world) {
      const paused = replicasOf(world, 'invoice-reconciliation');
      for (const replica of paused) replica.pause();
      for (let count = 0; count < 10; count += 1) await world.account.put(anInvoice());
      await delay(65_000);
      const dispatchers = replicasOf(world, 'webhook-dispatcher');
      for (const replica of dispatchers) replica.pause();
      for (let count = 0; count < 10; count += 1) await writeNote(world);
      await delay(6_500);
      for (const replica of [...paused, ...dispatchers]) replica.resume();
      return () => undefined;
    },
  },
  {
    fault: 'the provider answers every call with 500',
    alerts: ['ProviderFailing ticket', 'PollsFailing ticket'],
    async begin({ cluster: { provider }, account }) {
      provider.fail({ kind: 'status', status: 500 });
      for (let count = 0; count < 15; count += 1) await account.put(anInvoice());
      return () => provider.heal();
    },
  },
  {
    fault: 'the clock of the provider is an hour ahead',
    alerts: ['ClockSkew ticket'],
    async begin({ cluster: { provider } }) {
      provider.fail({ kind: 'clock', aheadMs: 3_600_000 });
      return () => provider.heal();
    },
  },
  {
    fault: 'a person takes an invoice from the ticket that it was matched to',
    alerts: ['AutomaticMatchesUndone ticket'],
    async begin({ client, contractor, account }) {
      const reference = 'BC-2026-0001';
      const { path } = await newJob(client, contractor, { reference, amount: 100 });
      await account.put(anInvoice({ references: { purchase_order: reference } }));
      const line = await eventually(async () => {
        const [found] = await linesOf(client, path);
        if (!found) throw new Error('the invoice was not matched');
        return found;
      });
      await ok(client.ts(`POST /invoices/${line.invoice_id}/unlink`));
      return () => undefined;
    },
  },
];

/** Puts a message that is no event into a queue. */
async function sendUnreadable({ cluster }: World, queue: string): Promise<void> {
  const connection = await connect(`amqp://127.0.0.1:${cluster.rabbit.ports[0]}`);
  const channel = await connection.createConfirmChannel();
  channel.sendToQueue(`${cluster.namespace}${queue}`, Buffer.from('no event'));
  await channel.waitForConfirms();
  await connection.close();
}

/** Changes a ticket, and puts its event into a queue `count` times. */
async function sendChangeTo(world: World, queue: string, count: number): Promise<void> {
  const { namespace, rabbit } = world.cluster;
  const connection = await connect(`amqp://127.0.0.1:${rabbit.ports[0]}`);
  const channel = await connection.createConfirmChannel();
  const { queue: own } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(own, `${namespace}domain-events`, 'ticket.changed.v1');
  await ok(world.client.api(`PATCH ${world.ticketPath}`, { title: 'Leak in the kitchen' }));
  const { content, properties } = await eventually(async () => {
    const found = await channel.get(own, { noAck: true });
    if (!found) throw new Error('no event of the change was published');
    return found;
  });
  for (let sent = 0; sent < count; sent += 1) channel.sendToQueue(`${namespace}${queue}`, content, properties);
  await channel.waitForConfirms();
  await connection.close();
}
