import {
  contractorChanged,
  invoiceFetched,
  type LocationSnapshot,
  locationChanged,
  purchaseChanged,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { profiled } from '@app/testing';
import { odd, quiet, useService, type World } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket, viewOf } from '../snapshots.ts';

const service = useService(quiet);

function aLocation(client_id: string, name: string, reference: string): LocationSnapshot {
  const none = { postal_code: null, facturation_name: null, deleted: false };
  return { id: newId(), version: 1, client_id, name, reference, ...none };
}

test('an invoice that names another place of its client waits for a person, whatever else agrees', async () => {
  const location_ids = [newId()];
  const { id, order } = await service.world({ location_ids });
  const roissy = { ...aLocation(id, 'Entrepôt Roissy', 'ROI-09'), id: String(location_ids[0]) };
  const nantes = aLocation(id, 'Nantes Atlantis', 'NTE-05');
  const gone = { ...aLocation(id, 'Dépôt Metz', 'MTZ-01'), deleted: true };
  const others = aLocation(newId(), 'Lille Sud', 'LIL-02');
  await service.settle(locationChanged, ...[roissy, nantes, gone, others].map((location) => ({ location })));
  const ingest = (delivery_address: string) =>
    service.ingest(id, { delivery_address, references: { purchase_order: order } }, { provider: 'mute' });

  const operations = await profiled(service, async () => {
    const elsewhere = await ingest('Nantes Atlantis, 11 place des Modèles');
    expect(elsewhere).toMatchObject({
      state: 'ticket_unmatched',
      ticket_id: null,
      flags: ['other_place', 'no_goods_receipt'],
    });
    expect(elsewhere.suggestions[0]?.reasons).toContain(
      'the invoice names another place: Nantes Atlantis; the ticket is at Entrepôt Roissy',
    );
  });
  const search = operations.filter(
    ({ ns, planSummary }) => ns?.endsWith('location_projections') && /keys/.test(planSummary ?? ''),
  );
  expect(search.length).toBeGreaterThan(0);
  for (const { planSummary, docsExamined } of search) {
    expect([planSummary, docsExamined]).toEqual(['IXSCAN { client_id: 1, keys: 1 }', 1]);
  }
  expect(await ingest('Lille Sud, Dépôt Metz')).toMatchObject({ state: 'done', flags: ['no_goods_receipt'] });
});

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

const racing = 8;
const range = Array.from({ length: racing }, (_, index) => index);
const sirens = ['732829320', '552100554', '542051180', '552032534', '403210032', '333275774', '380129866', '775670417'];

function ibanOf(account: number): string {
  const number = String(account).padStart(18, '0');
  return `DE${String(98n - (BigInt(`${number}131400`) % 97n)).padStart(2, '0')}${number}`;
}

/** A company with orders on as many tickets; of suppliers with these SIRENs in turn, of whom no account is known. */
async function companyWithOrders(suppliers: string[]) {
  const { companyId: id } = service.as().caller;
  const contractors = suppliers.map((siren) => aContractor(id, { siren, siret: `${siren}00017` }));
  await service.settle(contractorChanged, ...contractors.map((contractor) => ({ contractor })));
  const tickets = range.map((index) => aTicket(contractors[index % contractors.length] as never));
  const orders = tickets.map((ticket) => anOrder(ticket));
  await service.settle(ticketChanged, ...tickets.map((ticket) => ({ ticket })));
  await service.settle(purchaseChanged, ...orders.map((purchase) => ({ purchase })));
  return { id, orders: orders.map(({ reference }) => reference) };
}

/** All of them arrive at once. */
async function race(id: string, contents: object[]) {
  const fetched = await Promise.all(contents.map((content) => service.payload(id, content)));
  await service.settle(invoiceFetched, ...fetched);
  return service.connection.collection('invoices').find({ client_id: id }).toArray();
}

test.each([
  ['a supplier asks to be paid to one account each', ['732829320'], ibanOf],
  ['suppliers ask to be paid to one and the same', sirens, () => ibanOf(1)],
])(
  'of the first invoices by which %s one is linked, and the others wait for a person',
  async (_what, suppliers, account) => {
    const { id, orders } = await companyWithOrders(suppliers);
    const saved = await race(
      id,
      orders.map((purchase_order, index) => ({
        references: { purchase_order },
        supplier: { name: 'Froid', siren: suppliers[index % suppliers.length], iban: account(index) },
      })),
    );
    const held = saved.filter(({ state, reasons }) => state === 'manual_review' && reasons.includes('iban_changed'));
    expect([saved.filter(({ ticket_id }) => ticket_id !== null).length, held.length]).toEqual([1, racing - 1]);
  },
);

test.each([
  ['whose number another one resembles', ['F1-12'], () => ({ number: 'F11-2', amounts: odd })],
  [
    'whose totals differ by a cent',
    [],
    (index: number) => ({ number: 'F1', amounts: { ...odd, ttc: `8.4${index % 2}` } }),
  ],
])('of copies %s one is no duplicate', async (_what, before, copy) => {
  const { companyId: id } = service.as().caller;
  for (const number of before) await service.ingest(id, { number, amounts: odd });
  const saved = await race(id, range.map(copy));
  const suspected = saved.filter(({ reasons }) => reasons.includes('duplicate_suspected'));
  expect([saved.length, suspected.length]).toEqual([racing + before.length, racing - 1]);
});

test('of invoices whose numbers only resemble each other none is a duplicate', async () => {
  const { companyId: id } = service.as().caller;
  const saved = await race(
    id,
    range.map((index) => ({ number: `F${'0'.repeat(index)}1-12${'0'.repeat(index)}`, amounts: odd })),
  );
  expect([saved.length, saved.filter(({ state }) => state === 'manual_review').length]).toEqual([racing, 0]);
});
