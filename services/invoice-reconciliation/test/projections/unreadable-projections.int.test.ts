import {
  type PurchaseSnapshot,
  purchaseChanged,
  snapshotsRequested,
  type TicketSnapshot,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { connectBroker, on } from '@app/messaging';
import { eventually, testInfra, testLogger } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { TicketProjectionStore } from '../../projections/ticket-projection-store.ts';
import { type Service, useService } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket } from '../snapshots.ts';
import { writers } from './writers.ts';

let service: Service;
useService({}, (one) => {
  service = one;
});

const projectionOf = (collection: string, id: string) =>
  service.connection.collection(collection).findOne({ _id: id as never });

test('an unreadable projection delays no others, counts as absent and is requested again', async () => {
  const contractor = aContractor(newId());
  const tickets = Array.from({ length: 50 }, () => aTicket(contractor));
  const [older, broken, ...others] = tickets as [TicketSnapshot, TicketSnapshot, ...TicketSnapshot[]];
  const orders = tickets.map((ticket) => anOrder(ticket));
  const projections = service.connection.collection('ticket_copies');
  // One as an earlier release stored it, and one that is no JSON.
  await projections.insertOne({ _id: older.id as never, version: 1, revision: 4, facts: older, purchases: [] });
  await projections.insertOne({ _id: broken.id as never, version: 9, packed: '{"facts":' });
  const asked: unknown[] = [];
  const deps = { connection: service.connection, requestSnapshots: async () => void asked.push('facts') };
  const { keepPurchase, keepTicket } = writers(deps);

  // Until their tickets are published again, the documents wait in their own collection.
  await Promise.all(orders.map(keepPurchase));
  expect(asked).toHaveLength(2);
  expect(await projectionOf('ticket_copies', older.id)).toMatchObject({ version: -1 });
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
    queue: 'facts',
    table: [on(snapshotsRequested, async ({ data }) => void asked.push(data.kind))],
  });
  const projections = service.connection.collection('ticket_copies');
  await projections.updateOne({ _id: ticket.id as never }, { $set: { packed: '{"facts":{}}' } });
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
