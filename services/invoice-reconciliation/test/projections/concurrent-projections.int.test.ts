import type { PurchaseSnapshot } from '@app/contracts';
import { newId } from '@app/kernel';
import { testDatabase, testInfra } from '@app/testing';
import { createConnection } from 'mongoose';
import { createDirectoryStore } from '../../projections/directory-store.ts';
import { ticketCollections } from '../../projections/ticket-collections.ts';
import { type Service, useService } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket } from '../snapshots.ts';
import { shuffled, writers } from './writers.ts';

let service: Service;
useService({}, (one) => {
  service = one;
});

test('the newest of several first versions that come at once is kept', async () => {
  const { connection, drop } = await testDatabase();
  const references = createDirectoryStore({ connection });
  const contractors = Array.from({ length: 300 }, () => aContractor(newId()));
  await Promise.all(
    contractors.flatMap((contractor) =>
      [1, 2, 3, 4].map((version) => references.upsertContractor({ ...contractor, version })),
    ),
  );
  const kept = await connection.collection('contractor_copies').find().toArray();
  expect(kept.map((projection) => projection['version'])).toEqual(contractors.map(() => 4));
  await drop();
});

test('two replicas that share the events of the same tickets and documents end at the newest versions', async () => {
  const contractor = aContractor(newId());
  const { connection } = service;
  const replicas = [0, 1].map(() => writers({ connection }));
  const tickets = Array.from({ length: 12 }, () => aTicket(contractor));
  const orders = tickets.flatMap((ticket) => Array.from({ length: 3 }, () => anOrder(ticket)));
  const versions = (index: number, order: PurchaseSnapshot) =>
    [1, 2, 3].map((version) => ({ ...order, version, deleted: version === 3 && index % 3 === 0 }));
  const published = [
    ...tickets.flatMap((ticket) => [1, 2, 3].map((version) => ({ ticket: { ...ticket, version } }))),
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
  const orders = Array.from({ length: 100 }, () => anOrder(ticket));
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
