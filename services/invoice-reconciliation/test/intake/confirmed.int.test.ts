import { invoiceFetched, invoiceGone, purchaseChanged, ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type Service, useService } from '../reconciliation.ts';
import { anOrder, aTicket } from '../snapshots.ts';

let service: Service;
useService({}, (one) => {
  service = one;
});

/** How often the work waits for a majority without writing, as the server's profiler counts it. */
async function confirmations(collection: string, work: () => Promise<unknown>, expected: number): Promise<number> {
  const { db, name } = service.connection;
  await db?.command({ profile: 2 });
  const waits = { op: 'update', ns: `${name}.${collection}`, 'command.q._id': '' };
  const profile = db?.collection('system.profile');
  await work();
  await eventually(async () => expect(await profile?.countDocuments(waits)).toBeGreaterThanOrEqual(expected));
  await db?.command({ profile: 0 });
  const count = (await profile?.countDocuments(waits)) ?? 0;
  await profile?.drop();
  return count;
}

test('repeated snapshots are acknowledged once a majority has the projection that makes them outdated', async () => {
  const { contractor } = await service.world();
  const ticket = aTicket(contractor);
  const purchase = anOrder(ticket);
  await service.publish(ticketChanged, { ticket });
  await service.publish(purchaseChanged, { purchase });
  await eventually(async () => expect((await service.ticketProjection(ticket.id))?.purchases).toHaveLength(1));
  expect(await confirmations('ticket_copies', () => service.publish(ticketChanged, { ticket }), 1)).toBe(1);
  expect(await confirmations('ticket_copies', () => service.publish(purchaseChanged, { purchase }), 1)).toBe(1);
});

test('an outdated invoice is acknowledged, and its files removed, once a majority has the newer one', async () => {
  const { id } = await service.world();
  const external_id = newId();
  const sent = await service.payload(id, {}, { external_id, sequence: 7 });
  await service.publish(invoiceFetched, sent);
  await eventually(async () => expect(await service.invoice(sent)).toBeTruthy());
  const older = await service.payload(id, { number: 'older' }, { external_id, sequence: 6 });
  expect(await confirmations('invoices', () => service.publish(invoiceFetched, older), 1)).toBe(1);
  const gone = { at: new Date(0).toISOString(), sequence: 1, client_id: id, provider: sent.provider, external_id };
  expect(await confirmations('invoices', () => service.publish(invoiceGone, gone), 1)).toBe(1);
});
