import { type InvoiceLineSnapshot, invoiceLineChanged, purchaseChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually, profiled } from '@app/testing';
import { type Platform, startPlatform } from '../platform.ts';
import { aPurchase } from './fixtures.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

test('what an acknowledged push or event wrote is read from the majority: no election rolls it back', async () => {
  const client = platform.as();
  const ticket = (await client.post('/api/v3.0/tickets', { title: 'Leak' })).data.ticket_id;
  const path = `/api/v3.0/tickets/${ticket}`;
  const [view] = (await client.get(path)).data.views;
  const parties = { ticket, buyer: client.caller.companyId };
  const [pushed, published] = [aPurchase(parties), aPurchase(parties)];
  const aLine = (): InvoiceLineSnapshot => ({
    invoice_id: newId(),
    client_id: client.caller.companyId,
    version: 1,
    line: {
      ...{ ticket_id: ticket, view_id: view._id, reference: 'FA-1', price: '7', added_at: '2026-11-20T14:31:09.377Z' },
      supplier: { name: 'Froid', siren: null, siret: null },
      amounts: { ht: 7, tva: 1.4, ttc: 8.4 },
    },
  });
  const [pushedLine, publishedLine] = [aLine(), aLine()];
  const operations = await profiled(platform, async () => {
    await client.put('/internal/purchases', { purchases: [{ purchase: pushed }] });
    await client.put(`/internal/tickets/${ticket}/invoice-lines/${pushedLine.invoice_id}`, pushedLine);
    const at = new Date();
    await platform.broker.publish(
      toCloudEvents('purchase', [purchaseChanged({ purchase: published }, at, published.id)]),
    );
    await platform.broker.publish(
      toCloudEvents('invoice-reconciliation', [invoiceLineChanged(publishedLine, at, publishedLine.invoice_id)]),
    );
    await eventually(async () => {
      const { purchases, invoices } = (await client.get(path)).data;
      expect([purchases.length, invoices.length]).toEqual([2, 2]);
    });
  });
  // Without the reads that show tickets: those have an index or a projection of their own.
  const acknowledging = operations.filter(
    ({ op, ns, command: { projection = {}, hint } }) =>
      op === 'query' &&
      ((ns.endsWith('.tickets') && projection['has_purchases'] === 1) ||
        (/\.(purchase_copies|invoice_lines)$/.test(ns) && hint !== 'shown')),
  );
  expect(acknowledging.length).toBeGreaterThanOrEqual(5);
  expect(acknowledging.filter(({ command }) => command.readConcern?.level !== 'majority')).toEqual([]);
});
