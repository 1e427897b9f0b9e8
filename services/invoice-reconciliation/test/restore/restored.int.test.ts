import {
  contractorChanged,
  invoiceFetched,
  type KnownThing,
  locationChanged,
  purchaseChanged,
  restoreLossFound,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { odd, useService, type World } from '../reconciliation.ts';
import { anOrder, aTicket, viewOf } from '../snapshots.ts';

const service = useService();

const epoch = Date.now();
const since = new Date(epoch - 3_600_000).toISOString();

/** The owner has lost these things by a restore. */
function lose(kind: string, given: Partial<KnownThing>, restoredAt = epoch): Promise<void> {
  const thing = { id: newId(), label: '', within: null, ...given };
  const restore = { restore_id: 'r', service: 'owner', epoch: restoredAt, since };
  return service.settle(restoreLossFound, { ...restore, kind, things: [thing] });
}

const statusOf = async (id: string) => (await service.ticketProjection(id))?.ticket.status;

/** An invoice that was matched with the ticket of a world. */
async function linkedIn({ id, order }: World) {
  const invoice = await service.ingest(id, { references: { purchase_order: order } });
  await eventually(async () => expect((await service.invoice(invoice))?.ticket_id).not.toBeNull());
  return invoice;
}

test('what a restored owner tells under its raised version wins over the higher numbers of the lost time', async () => {
  const { ticket } = await service.world();
  await service.publish(ticketChanged, { ticket: { ...ticket, version: 900, status: 'closed' } });
  await eventually(async () => expect(await statusOf(ticket.id)).toBe('closed'));
  await service.publish(ticketChanged, { ticket: { ...ticket, version: epoch, status: 'intervention' } });
  await eventually(async () => expect(await statusOf(ticket.id)).toBe('intervention'));
  await service.settle(ticketChanged, { ticket: { ...ticket, version: 901, status: 'canceled' } });
  expect(await statusOf(ticket.id)).toBe('intervention');
});

test('a lost ticket is removed, and its invoice goes to review; a late message does not bring it back, a restore does', async () => {
  const world = await service.world();
  const { ticket } = world;
  const invoice = await linkedIn(world);
  for (let twice = 0; twice < 2; twice++) await lose('tickets', { id: ticket.id });
  await service.becomes(invoice, { state: 'manual_review', reasons: ['ticket_gone'] });
  expect(await service.ticketProjection(ticket.id)).toMatchObject({ open: false, version: epoch });
  await service.settle(ticketChanged, { ticket: { ...ticket, version: 901 } });
  expect(await statusOf(ticket.id)).toBe('removed');
  await service.publish(ticketChanged, { ticket: { ...ticket, version: epoch + 60_000 } });
  await eventually(async () => expect(await service.ticketProjection(ticket.id)).toMatchObject({ open: true }));
});

test('an invoice on a lost view of a ticket that is still there goes to review; one on another view stays', async () => {
  const world = await service.world();
  const invoice = await linkedIn(world);
  await lose('views', { id: newId(), within: world.ticket.id });
  expect((await service.invoice(invoice))?.state).not.toBe('manual_review');
  await lose('views', { id: viewOf(world.ticket), within: world.ticket.id });
  await service.becomes(invoice, { state: 'manual_review', reasons: ['ticket_gone'] });
});

test('a lost purchase document leaves its ticket, and its late message does not bring it back', async () => {
  const { contractor } = await service.world();
  const ticket = aTicket(contractor);
  const order = anOrder(ticket, { version: 5 });
  await service.publish(ticketChanged, { ticket });
  await service.publish(purchaseChanged, { purchase: order });
  const purchases = async () => (await service.ticketProjection(ticket.id))?.purchases.map(({ id }) => id);
  await eventually(async () => expect(await purchases()).toEqual([order.id]));
  await lose('purchases', { id: order.id, within: ticket.id });
  expect(await purchases()).toEqual([]);
  await service.settle(purchaseChanged, { purchase: { ...order, version: 6 } });
  expect(await purchases()).toEqual([]);
  await service.publish(purchaseChanged, { purchase: { ...order, version: epoch + 60_000 } });
  await eventually(async () => expect(await purchases()).toEqual([order.id]));
});

test('lost contractors and locations match nothing any more', async () => {
  const { contractor } = await service.world();
  const { id, client_id } = contractor;
  const location = {
    id: newId(),
    version: 3,
    client_id,
    name: 'Lost',
    reference: null,
    postal_code: null,
    facturation_name: null,
    deleted: false,
  };
  await service.publish(locationChanged, { location });
  const stored = (name: string, _id: string) => service.connection.collection(name).findOne({ _id: _id as never });
  await eventually(async () => expect(await stored('location_projections', location.id)).not.toBeNull());
  await lose('contractors', { id });
  await lose('locations', { id: location.id });
  await eventually(async () => {
    expect(await stored('contractor_projections', id)).toMatchObject({ siren: null, name: null, version: epoch });
    expect(await stored('location_projections', location.id)).toMatchObject({
      snapshot: { deleted: true },
      version: epoch,
    });
  });
  await service.settle(contractorChanged, { contractor: { ...contractor, version: 900 } });
  expect(await stored('contractor_projections', id)).toMatchObject({ siren: null });
});

test.each([false, true])(
  'an invoice whose files are gone gets those of an equal fetch (asked for by a person: %s)',
  async (resync) => {
    const { id } = await service.world();
    const payload = { number: `F-${newId()}`, amounts: odd };
    const { content, external_id } = await service.ingest(id, payload, { sequence: 1 });
    const file = (key: string) => service.connection.collection('fs.files').countDocuments({ _id: key as never });
    await service.connection.collection('fs.files').deleteOne({ _id: content.raw.key as never });
    const again = await service.payload(id, payload, { external_id, sequence: 2, resync });
    expect(again.raw.hash).toBe(content.raw.hash);
    await service.settle(invoiceFetched, again);
    expect(await service.invoice(again)).toMatchObject({
      state: 'ticket_unmatched',
      content: { raw: again.raw, sequence: 2 },
    });
    expect(await file(again.raw.key)).toBe(1);
  },
);
