import {
  contractorChanged,
  invoiceFetched,
  invoiceLineChanged,
  invoiceStateChanged,
  purchaseChanged,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, testNamespace } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { type Service, startService } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket } from '../snapshots.ts';

const count = 40;

/** A client with a ticket and an order for each of the invoices to come. */
async function prepare(service: Service) {
  const id = newId();
  const contractor = aContractor(id);
  const tickets = Array.from({ length: count }, () => aTicket(contractor));
  const orders = tickets.map((ticket) => anOrder(ticket));
  await service.publish(contractorChanged, { contractor });
  await service.publish(ticketChanged, ...tickets.map((ticket) => ({ ticket })));
  await service.publish(purchaseChanged, ...orders.map((purchase) => ({ purchase })));
  await eventually(async () => {
    const projections = await Promise.all(tickets.map((ticket) => service.ticketProjection(ticket.id)));
    expect(projections.map((projection) => projection?.purchases.length)).toEqual(tickets.map(() => 1));
  });
  return { id, tickets, orders };
}

test('killed again and again in the middle of its work, it loses no invoice and does nothing twice', async () => {
  const namespace = testNamespace();
  // This one only records the events, from first to last.
  const watcher = await startService({ namespace, settings: { rematchDelayMs: 600_000 } });
  const { id, tickets, orders } = await prepare(watcher);
  const events = await Promise.all(
    orders.map(({ reference }) => watcher.payload(id, { references: { purchase_order: reference } })),
  );
  const doomed: Service[] = [];
  for (let round = 0; round < 3; round++) doomed.push(await startService({ namespace, recordEvents: false }));
  await watcher.publish(invoiceFetched, ...events.slice(0, count / 2));
  await watcher.publish(invoiceFetched, ...events.slice(count / 2), ...events.slice(0, 10));
  for (const service of doomed) {
    await eventually(async () =>
      expect(await watcher.connection.collection('invoices').countDocuments({ client_id: id })).toBeGreaterThan(
        doomed.indexOf(service) * 5,
      ),
    );
    await service.crash();
  }
  await eventually(async () => {
    const invoices = await watcher.connection.collection<Invoice>('invoices').find({ client_id: id }).toArray();
    expect(invoices.map(({ state }) => state)).toEqual(Array(count).fill('feedback_pending'));
    expect(invoices.map(({ ticket_id }) => ticket_id).sort()).toEqual(tickets.map((ticket) => ticket.id).sort());
    // Each event at least once; repetitions are the same event.
    for (const invoice of invoices) {
      const moves = watcher.eventsOf(invoice._id, invoiceStateChanged).map(({ data }) => String(data['version']));
      expect(new Set(moves).size).toBe(invoice.history.length);
      const lines = watcher.eventsOf(invoice._id, invoiceLineChanged).map(({ data }) => data['version']);
      expect(new Set(lines)).toEqual(new Set([1]));
    }
    expect(
      await watcher.connection.collection('invoices').countDocuments({ outbox: { $elemMatch: { id: { $gt: '' } } } }),
    ).toBe(0);
  });
  await watcher.drop();
  await watcher.stop();
});
