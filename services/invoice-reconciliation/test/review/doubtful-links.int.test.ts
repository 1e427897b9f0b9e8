import { type AuditRecord, auditRecorded, ticketChanged } from '@app/contracts';
import { eventually } from '@app/testing';
import { link, read, toView, useService } from '../reconciliation.ts';
import { aTicket, viewOf } from '../snapshots.ts';

const service = useService();
const unknownSupplier = { name: 'Inconnu', siren: '552100554' };
const amounts = (ht: number) => ({ ht: ht.toFixed(2), tva: (ht * 0.2).toFixed(2), ttc: (ht * 1.2).toFixed(2) });

test('why an invoice is linked although something speaks against it is in its history and in the audit log', async () => {
  const world = await service.world();
  const { _id } = await service.ingest(world.id, { amounts: amounts(700) });
  const reason = 'Agreed by telephone: the second pump, see note 3';
  const path = `/invoices/${_id}/link`;
  expect((await world.client.call('post', path, { ...toView(world), reason })).status).toBe(200);
  const { history } = await read(world, _id);
  expect(history.at(-2)).toMatchObject({
    reason: `linked to ${world.ticket.number}, because: ${reason}`,
    reasonCodes: [{ code: 'linked', values: { ticket: world.ticket.number, text: reason } }],
    by: { id: world.client.caller.userId },
  });
  const audited = () =>
    service.events
      .filter(({ type }) => type === auditRecorded.type)
      .map(({ data }) => data as AuditRecord)
      .find(({ target }) => target?.id === _id);
  await eventually(() =>
    expect(audited()?.details.changes).toContainEqual({ field: 'reason', before: null, after: reason }),
  );
});

test('once another invoice is linked, the queue shows what is above the tolerance of what that leaves', async () => {
  const world = await service.world();
  const naming = { references: { purchase_order: world.order } };
  const waiting = await service.ingest(world.id, { ...naming, supplier: unknownSupplier, amounts: amounts(97) });
  const flagsOf = async () => {
    const { items } = (await world.client.call('get', '/invoices')).data;
    return items.find(({ id }: { id: string }) => id === waiting._id)?.flags;
  };
  expect(await flagsOf()).toEqual(['no_goods_receipt']);
  // The second match, which every invoice of the queue gets, is over.
  await service.becomes(waiting, { rematch_at: null, due_at: null });
  const other = await service.ingest(world.id, { amounts: amounts(70) });
  expect((await link(world, other._id)).status).toBe(200);
  await eventually(async () => expect(await flagsOf()).toEqual(['over_tolerance', 'no_goods_receipt']));
  const elsewhere = aTicket(world.contractor);
  await service.settle(ticketChanged, { ticket: elsewhere });
  const to = { ticketId: elsewhere.id, viewId: viewOf(elsewhere) };
  expect((await world.client.call('post', `/invoices/${other._id}/link`, to)).status).toBe(200);
  await eventually(async () => expect(await flagsOf()).toEqual(['no_goods_receipt']));
  expect((await link(world, other._id)).status).toBe(200);
  await eventually(async () => expect(await flagsOf()).toEqual(['over_tolerance', 'no_goods_receipt']));
  expect((await world.client.call('post', `/invoices/${other._id}/unlink`)).status).toBe(200);
  await eventually(async () => expect(await flagsOf()).toEqual(['no_goods_receipt']));
});
