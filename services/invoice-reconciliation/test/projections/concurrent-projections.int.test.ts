import {
  type PurchaseSnapshot,
  purchaseChanged,
  snapshotsRequested,
  type TicketSnapshot,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { connectBroker, on } from '@app/messaging';
import { eventually, testDatabase, testInfra, testLogger } from '@app/testing';
import { createConnection } from 'mongoose';
import type { Invoice } from '../../invoices/invoice.ts';
import { createDirectoryStore } from '../../projections/directory-store.ts';
import { ticketCollections } from '../../projections/ticket-collections.ts';
import { TicketProjectionStore } from '../../projections/ticket-projection-store.ts';
import { useService } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket } from '../snapshots.ts';
import { shuffled, writers } from './writers.ts';

const service = useService();

test('the newest of several first versions that come at once is kept', async () => {
  const { connection, drop } = await testDatabase();
  const references = createDirectoryStore({ connection });
  const contractors = Array.from({ length: 60 }, () => aContractor(newId()));
  await Promise.all(
    contractors.flatMap((contractor) =>
      [1, 2, 3, 4].map((version) => references.upsertContractor({ ...contractor, version })),
    ),
  );
  const kept = await connection.collection('contractor_projections').find().toArray();
  expect(kept.map((projection) => projection['version'])).toEqual(contractors.map(() => 4));
  await drop();
});

test('two replicas that share the events of the same tickets and documents end at the newest versions, and their keys', async () => {
  const contractor = aContractor(newId());
  const { connection } = service;
  const replicas = [0, 1].map(() => writers({ connection }));
  const tickets = Array.from({ length: 12 }, () => aTicket(contractor));
  const orders = tickets.flatMap((ticket) => Array.from({ length: 3 }, () => anOrder(ticket)));
  const versions = (index: number, order: PurchaseSnapshot) =>
    [1, 2, 3].map((version) => ({ ...order, version, deleted: version === 3 && index % 3 === 0 }));
  const published = [
    ...tickets.flatMap((ticket) =>
      [1, 2, 3].map((version) => ({ ticket: { ...ticket, version, number: `N-100${version}` } })),
    ),
    ...orders.flatMap((order, index) => versions(index, order).map((purchase) => ({ purchase }))),
  ];
  const mixed = shuffled(published);
  await Promise.all(
    replicas.map(async ({ keepTicket, keepPurchase }, index) => {
      const inHand: Promise<void>[] = [];
      for (const one of mixed.filter((_one, place) => place % 2 === index)) {
        inHand.push('ticket' in one ? keepTicket(one.ticket) : keepPurchase(one.purchase));
        // Some wait, so that the writes of both replicas interleave.
        if (inHand.length % 7 === 0) await inHand.at(-1);
      }
      await Promise.all(inHand);
    }),
  );
  const live = orders.filter((_order, index) => index % 3 !== 0);
  const kept = await Promise.all(tickets.map(({ id }) => service.ticketProjection(id)));
  expect(kept.map((projection) => projection?.version)).toEqual(tickets.map(() => 3));
  for (const projection of kept) {
    expect(projection?.keys).toContain('N1003');
    expect(projection?.keys).not.toContain('N1002');
  }
  const shown = kept.flatMap((projection) => projection?.purchases.map(({ id, version }) => `${id}:${version}`));
  expect(shown.sort()).toEqual(live.map(({ id }) => `${id}:3`).sort());
});

test('documents of other companies that come before the ticket, however many, displace none of its client', async () => {
  const ticket = aTicket(aContractor(newId()));
  const { keepPurchase } = writers({ connection: service.connection });
  const intruders = Array.from({ length: 401 }, () => anOrder(ticket, { buyer_company_id: newId() }));
  await Promise.all(intruders.map(keepPurchase));
  const own = anOrder(ticket);
  await keepPurchase(own);
  await writers({ connection: service.connection }).keepTicket(ticket);
  expect(await service.ticketProjection(ticket.id)).toMatchObject({ purchases: [{ id: own.id }] });
});

test('if replicas write versions concurrently before the ticket is known, the newest stays', async () => {
  const replicas = Array.from({ length: 4 }, () => writers({ connection: service.connection }));
  const ticket = aTicket(aContractor(newId()));
  // The ticket is marked already: the race is for each document alone.
  await replicas[0]?.keepPurchase(anOrder(ticket, { deleted: true, version: 2 }));
  const orders = Array.from({ length: 40 }, () => anOrder(ticket));
  for (const order of orders) {
    await Promise.all(replicas.map(({ keepPurchase }, index) => keepPurchase({ ...order, version: index + 1 })));
  }
  await writers({ connection: service.connection }).keepTicket(ticket);
  const kept = (await service.ticketProjection(ticket.id))?.purchases;
  expect(kept?.map(({ version }) => version)).toEqual(orders.map(() => 4));
});

test('a deletion by another replica between the read and the write of a ticket is not lost', async () => {
  const ticket = aTicket(aContractor(newId()));
  const order = anOrder(ticket);
  const slow = service.connection.useDb(service.connection.name, { useCache: false });
  const { tickets } = ticketCollections(slow);
  const [here, there] = [slow, service.connection].map((connection) => writers({ connection }));
  await writers({ connection: service.connection }).keepTicket(ticket);
  const write = tickets.updateOne.bind(tickets);
  tickets.updateOne = async (...given) => {
    tickets.updateOne = write;
    await there?.keepPurchase({ ...order, version: 2, deleted: true });
    return write(...given);
  };
  await here?.keepPurchase(order);
  expect(await service.ticketProjection(ticket.id)).toMatchObject({ revision: 2, purchases: [] });
});

test('every write of a purchase document is acknowledged by a majority', async () => {
  const { mongodbUrl } = testInfra();
  const connection = await createConnection(mongodbUrl, {
    dbName: service.connection.name,
    monitorCommands: true,
    writeConcern: { w: 'majority', journal: true },
  }).asPromise();
  const concerns: unknown[] = [];
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (['insert', 'update'].includes(commandName)) concerns.push(command['writeConcern']?.w);
  });
  const { keepPurchase, keepTicket } = writers({ connection });
  const ticket = aTicket(aContractor(newId()));
  const [waiting, one, other] = [anOrder(ticket), anOrder(ticket), anOrder(ticket)];
  // Alone and concurrently, before the ticket and after it, and deletions.
  await keepPurchase(waiting);
  await Promise.all([keepPurchase(one), keepPurchase(other)]);
  await keepTicket(ticket);
  await Promise.all([one, other].map((order) => keepPurchase({ ...order, version: 2, deleted: true })));
  await keepPurchase({ ...waiting, version: 2, deleted: true });
  expect(concerns.length).toBeGreaterThanOrEqual(9);
  expect(new Set(concerns)).toEqual(new Set(['majority']));
  await connection.close();
});

test('an unreadable projection delays no others, counts as absent and is requested again', async () => {
  const contractor = aContractor(newId());
  const tickets = Array.from({ length: 20 }, () => aTicket(contractor));
  const [older, broken, ...others] = tickets as [TicketSnapshot, TicketSnapshot, ...TicketSnapshot[]];
  const orders = tickets.map((ticket) => anOrder(ticket));
  const projections = service.connection.collection('ticket_projections');
  // One of another form, and one that is no JSON.
  await projections.insertOne({ _id: older.id as never, version: 1, revision: 4, snapshot: older, purchases: [] });
  await projections.insertOne({ _id: broken.id as never, version: 9, json: '{"ticket":' });
  const asked: unknown[] = [];
  const deps = { connection: service.connection, requestSnapshots: async () => void asked.push('snapshots') };
  const { keepPurchase, keepTicket } = writers(deps);

  // Until their tickets are published again, the documents wait in their own collection.
  await Promise.all(orders.map(keepPurchase));
  expect(asked).toHaveLength(2);
  expect(await projections.findOne({ _id: older.id as never })).toMatchObject({ version: -1 });
  expect(await new TicketProjectionStore(deps).find(older.client_id, older.id)).toBeNull();

  await Promise.all(tickets.map(keepTicket));
  for (const ticket of [older, broken, ...others]) {
    const { id: order } = orders.find((one) => one.ticket_id === ticket.id) as PurchaseSnapshot;
    expect(await service.ticketProjection(ticket.id)).toMatchObject({
      version: 1,
      ticket,
      purchases: [{ id: order }],
    });
  }
  expect(asked).toHaveLength(2);
});

test('matching ignores an unreadable projection and requests snapshots, once for several', async () => {
  const { id, ticket, order, purchase } = await service.world();
  const asked: string[] = [];
  const owner = await connectBroker({
    url: testInfra().amqpUrl,
    namespace: service.namespace,
    service: 'owner-of-all',
    logger: testLogger(),
  });
  await owner.subscribe({
    queue: 'snapshot-requests',
    table: [on(snapshotsRequested, async ({ data }) => void asked.push(data.kind))],
  });
  const projections = service.connection.collection('ticket_projections');
  await projections.updateOne({ _id: ticket.id as never }, { $set: { json: '{"ticket":{}}' } });
  const references = { purchase_order: order };
  const waiting: Invoice[] = [];
  for (let count = 0; count < 3; count++) waiting.push(await service.ingest(id, { references }));
  expect(waiting.map(({ state }) => state)).toEqual(Array(3).fill('ticket_unmatched'));
  await eventually(() => expect(asked).toEqual(['tickets', 'purchases']));
  await service.publish(ticketChanged, { ticket });
  await service.publish(purchaseChanged, { purchase: { ...purchase, version: purchase.version + 1 } });
  // The order pays for one of them, whichever is matched first.
  await eventually(async () => {
    const invoices = await Promise.all(waiting.map((one) => service.invoice(one)));
    expect(invoices.filter((one) => one?.ticket_id === ticket.id)).toHaveLength(1);
  });
  await owner.close();
});
