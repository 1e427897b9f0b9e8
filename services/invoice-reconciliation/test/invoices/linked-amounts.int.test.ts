import { type Service, useService } from '../reconciliation.ts';

const amountsOf = (ht: number) => ({
  amounts: { ht: ht.toFixed(2), tva: (ht * 0.2).toFixed(2), ttc: (ht * 1.2).toFixed(2) },
});

let service: Service;
useService({ settings: { rematchDelayMs: 600_000 } }, (one) => {
  service = one;
});

test('an invoice without reference is compared with the amounts linked to the tickets of its supplier', async () => {
  const { id, order } = await service.world();
  await service.ingest(id, { number: 'FA-1', references: { purchase_order: order } });
  // The same amount again: without the first one it would be taken for this ticket's.
  expect(await service.ingest(id, { number: 'FA-2' })).toMatchObject({ state: 'ticket_unmatched', suggestions: [] });
});

test('the only ticket with that amount is chosen if no invoice is linked to it yet', async () => {
  const { id, ticket } = await service.world();
  expect(await service.ingest(id, { number: 'FA-1' })).toMatchObject({ ticket_id: ticket.id, matched_by: 'machine' });
});

test('the amount of a replaced invoice no longer counts', async () => {
  const { id, order, ticket } = await service.world();
  await service.ingest(id, { number: 'FA-1', references: { purchase_order: order } });
  const replacing = { kind: 'corrective', number: 'FA-2', references: { preceding_invoice: 'FA-1' } };
  expect(await service.ingest(id, { ...replacing, ...amountsOf(40) })).toMatchObject({ matched_by: 'machine' });
  const rest = await service.ingest(id, { number: 'FA-3', ...amountsOf(60) });
  expect(rest).toMatchObject({ ticket_id: ticket.id, matched_by: 'machine' });
});

test('an invoice fetched again with another amount counts with the new amount', async () => {
  const { id, order, ticket } = await service.world();
  const own = { number: 'FA-1', references: { purchase_order: order } };
  const first = await service.ingest(id, { ...own, ...amountsOf(30) });
  const again = { external_id: first.external_id, connection_id: first.connection_id };
  const changed = await service.ingest(id, { ...own, ...amountsOf(40) }, again);
  expect([changed.ticket_id, changed.canonical?.amounts.ht]).toEqual([ticket.id, 40]);
  // What remains of the order by the amount that it has now.
  expect(await service.ingest(id, { number: 'FA-2', ...amountsOf(60) })).toMatchObject({ ticket_id: ticket.id });
});
