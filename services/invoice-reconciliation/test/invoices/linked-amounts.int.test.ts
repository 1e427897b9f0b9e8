import { invoiceGone, purchaseChanged } from '@app/contracts';
import { eventually } from '@app/testing';
import { odd, quiet, read, useService, type World } from '../reconciliation.ts';
import { anOrder } from '../snapshots.ts';

const service = useService(quiet);

const amountsOf = (ht: number) => ({
  amounts: { ht: ht.toFixed(2), tva: (ht * 0.2).toFixed(2), ttc: (ht * 1.2).toFixed(2) },
});
const corrective = { kind: 'corrective', number: 'FA-2', references: { preceding_invoice: 'fa 0001' } };
const flagsOf = async (world: Pick<World, 'client'>, { _id }: { _id: string }): Promise<string[]> =>
  (await read(world, _id)).flags;

test('an invoice without reference is compared with the amounts linked to the tickets of its supplier', async () => {
  const { id, order } = await service.world();
  await service.ingest(id, { number: 'FA-1', references: { purchase_order: order } });
  // The same amount again: without the first one it would be taken for this ticket's.
  expect(await service.ingest(id, { number: 'FA-2' })).toMatchObject({ state: 'ticket_unmatched', suggestions: [] });
});

test('of two orders on a ticket, one that is invoiced is not invoiced again, and the other one is', async () => {
  const { id, order, ticket } = await service.world();
  const other = anOrder(ticket);
  await service.settle(purchaseChanged, { purchase: other });
  const naming = (purchase_order: string) => service.ingest(id, { references: { purchase_order } });
  expect(await naming(order)).toMatchObject({ ticket_id: ticket.id, matched_by: 'machine' });
  const again = await naming(order);
  expect(again).toMatchObject({ state: 'ticket_unmatched', suggestions: [{ ticketId: ticket.id }] });
  expect(again.flags).toContain('already_invoiced');
  expect(await naming(other.reference)).toMatchObject({ ticket_id: ticket.id, matched_by: 'machine' });
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

test('an invoice that a corrective one replaces is flagged, whichever came first', async () => {
  const world = await service.world();
  const { id, order } = world;
  const first = await service.ingest(id, { number: 'FA-1', references: { purchase_order: order } });
  expect(await flagsOf(world, first)).not.toContain('replaced');
  const replacing = await service.ingest(id, corrective);
  expect(await flagsOf(world, first)).toContain('replaced');
  expect(await flagsOf(world, replacing)).not.toContain('replaced');

  const other = await service.world();
  await service.ingest(other.id, corrective);
  const late = await service.ingest(other.id, { number: 'FA-1', amounts: odd });
  expect(await flagsOf(other, late)).toContain('replaced');
  const { items } = (await other.client.call('get', '/invoices')).data;
  const shown = items.map(({ number, flags }: { number: string; flags: string[] }) => [
    number,
    flags.includes('replaced'),
  ]);
  expect(shown).toEqual([
    ['FA-2', false],
    ['FA-1', true],
  ]);
});

test('an invoice that only shares the number is not replaced: of another supplier, of another client, or named by an invoice', async () => {
  const world = await service.world();
  const { id } = world;
  const first = await service.ingest(id, { number: 'FA-1', amounts: odd });
  await service.ingest(id, { ...corrective, supplier: { name: 'Other', siren: '552100554' } });
  await service.ingest((await service.world()).id, corrective);
  await service.ingest(id, { ...corrective, kind: 'invoice' });
  expect(await flagsOf(world, first)).not.toContain('replaced');
});

test('a corrective invoice that the provider deleted replaces nothing any more', async () => {
  const world = await service.world();
  const { id } = world;
  const first = await service.ingest(id, { number: 'FA-1', amounts: odd });
  const replacing = await service.ingest(id, corrective);
  const { provider, external_id } = replacing;
  const at = new Date();
  const gone = { client_id: id, provider, external_id, at: at.toISOString(), sequence: at.getTime() + 1 };
  await service.publish(invoiceGone, gone);
  await eventually(async () => expect(await flagsOf(world, first)).not.toContain('replaced'));
});
