import { contractorChanged, purchaseChanged, ticketChanged } from '@app/contracts';
import { eventually } from '@app/testing';
import { type Service, useService } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket, viewOf } from '../snapshots.ts';

let service: Service;
useService({}, (one) => {
  service = one;
});

/** A client whose contractor has no SIREN, with a ticket and an order of 100. */
async function clientOf(name: string) {
  const client = service.as();
  const id = client.caller.companyId;
  const contractor = aContractor(id, { name, siren: null, siret: null });
  const ticket = aTicket(contractor);
  await service.publish(contractorChanged, { contractor });
  await service.publish(ticketChanged, { ticket });
  await service.publish(purchaseChanged, { purchase: anOrder(ticket) });
  await eventually(async () => {
    expect((await service.ticketProjection(ticket.id))?.purchases).toHaveLength(1);
    const known = await service.connection.collection('contractor_copies').findOne({ _id: contractor.id as never });
    expect(known).not.toBeNull();
  });
  return { client, id, contractor, ticket };
}

test('a supplier without SIREN is suggested the tickets of the contractor of its name, and nothing is linked', async () => {
  const { id, ticket } = await clientOf('Kälte & Söhne GmbH');
  const found = await service.ingest(id, { supplier: { name: 'KAELTE', vat_number: 'DE123456789' } });
  expect(found).toMatchObject({ state: 'ticket_unmatched', suggestions: [] });
  const named = await service.ingest(id, { supplier: { name: 'Kalte und Söhne' } });
  expect(named).toMatchObject({ state: 'ticket_unmatched', ticket_id: null, supplier_id: null, supplier_ids: [] });
  expect(named.suggestions).toMatchObject([{ ticketId: ticket.id, viewId: viewOf(ticket) }]);
});

test('a supplier is also known by its VAT number, once a person has linked an invoice of it', async () => {
  const { client, id, contractor, ticket } = await clientOf('Kälte und Söhne GmbH');
  const supplier = { name: 'KS Holding', vat_number: 'DE 123 456 789' };
  const amounts = { ht: '40.00', tva: '8.00', ttc: '48.00' };
  const first = await service.ingest(id, { supplier, amounts });
  expect(first).toMatchObject({ state: 'ticket_unmatched', suggestions: [] });
  const body = { ticketId: ticket.id, viewId: viewOf(ticket) };
  expect((await client.call('post', `/invoices/${first._id}/link`, body)).status).toBe(200);
  expect(await service.invoice(first)).toMatchObject({ supplier_id: contractor.id, confirmed_vat: 'DE123456789' });
  const rest = { ht: '60.00', tva: '12.00', ttc: '72.00' };
  const second = await service.ingest(id, { supplier: { ...supplier, name: 'Other' }, amounts: rest });
  expect(second).toMatchObject({ state: 'ticket_unmatched', suggestions: [{ ticketId: ticket.id }] });
  expect((await client.call('post', `/invoices/${first._id}/unlink`)).status).toBe(200);
  expect(await service.invoice(first)).toMatchObject({ confirmed_vat: null });
});
