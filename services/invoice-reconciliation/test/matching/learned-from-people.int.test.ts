import { contractorChanged, purchaseChanged, ticketChanged } from '@app/contracts';
import { odd, quiet, useService, type World } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket, viewOf } from '../snapshots.ts';

const service = useService(quiet);

/** A client whose contractor has no SIREN, with a ticket and an order of 100. */
async function clientOf(name: string) {
  const client = service.as();
  const id = client.caller.companyId;
  const contractor = aContractor(id, { name, siren: null, siret: null });
  const ticket = aTicket(contractor);
  await service.settle(contractorChanged, { contractor });
  await service.settle(ticketChanged, { ticket });
  await service.settle(purchaseChanged, { purchase: anOrder(ticket) });
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

let numbers = 4520;
const jobOf = (number: string) => `JOB ${number.slice('2026-00'.length)}`;

/** An invoice that names a ticket in this supplier's way; its amount matches nothing. */
const written = (number: string) => ({ amounts: odd, references: { buyer_reference: jobOf(number) } });

async function ticketsOf({ contractor }: World, count: number) {
  const tickets = Array.from({ length: count }, () => aTicket(contractor, { number: `2026-00${++numbers}` }));
  await service.settle(ticketChanged, ...tickets.map((ticket) => ({ ticket })));
  return tickets;
}

async function linked(world: World, ticket: ReturnType<typeof aTicket>): Promise<string> {
  const { _id } = await service.ingest(world.id, written(ticket.number));
  const to = { ticketId: ticket.id, viewId: viewOf(ticket) };
  expect((await world.client.call('post', `/invoices/${_id}/link`, to)).status).toBe(200);
  return _id;
}

async function suggestedFor(world: World, number: string) {
  const { suggestions, state } = await service.ingest(world.id, written(number));
  const mine = suggestions.find((one) => one.number === number);
  return { state, first: suggestions[0]?.number, reasons: mine?.reasons ?? [] };
}

test('after three links by hand a supplier’s way of writing references is known: its ticket is suggested first, and not matched automatically', async () => {
  const world = await service.world();
  const [one, two, three, four] = (await ticketsOf(world, 4)) as [...ReturnType<typeof aTicket>[]];
  const reason = `ticket number ${four?.number}, as this supplier writes it: “${jobOf(String(four?.number))}”`;
  for (const ticket of [one, two]) await linked(world, ticket as never);
  expect((await suggestedFor(world, String(four?.number))).reasons).not.toContain(reason);
  const third = await linked(world, three as never);
  expect(await suggestedFor(world, String(four?.number))).toEqual({
    state: 'ticket_unmatched',
    first: four?.number,
    reasons: expect.arrayContaining([reason]),
  });
  // A link that was undone does not count.
  expect((await world.client.call('post', `/invoices/${third}/unlink`)).status).toBe(200);
  expect((await suggestedFor(world, String(four?.number))).reasons).not.toContain(reason);
});

test('links of another client do not count, and an invoice that is linked repeatedly counts once', async () => {
  const world = await service.world();
  const [one, two] = (await ticketsOf(world, 2)) as [...ReturnType<typeof aTicket>[]];
  const invoice = await linked(world, one as never);
  for (let again = 0; again < 4; again++) {
    await world.client.call('post', `/invoices/${invoice}/unlink`);
    const to = { ticketId: one?.id, viewId: viewOf(one as never) };
    expect((await world.client.call('post', `/invoices/${invoice}/link`, to)).status).toBe(200);
  }
  const { reasons } = await suggestedFor(world, String(two?.number));
  expect(reasons.join()).not.toContain('as this supplier writes it');
});
