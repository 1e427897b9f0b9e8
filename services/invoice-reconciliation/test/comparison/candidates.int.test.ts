import { contractorChanged, locationChanged, purchaseChanged, ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type Client, type Service, useService, type World } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket, viewOf } from '../snapshots.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };
const near = { ht: '97.00', tva: '19.40', ttc: '116.40' };

let service: Service;
// No rematches during these tests, and failed pushes are not retried.
useService({ settings: { rematchDelayMs: 600_000, pushRetryForMs: 0 } }, (one) => {
  service = one;
});

const ask = async (client: Client, id: string, query = '') =>
  (await client.call('get', `/invoices/${id}/candidates${query}`)).data.items;
const numbers = (items: { number: string }[]) => items.map(({ number }) => number);
const search = (text: string) => `?q=${encodeURIComponent(text)}`;

/** A ticket with its projection. */
async function known(ticket: ReturnType<typeof aTicket>) {
  await service.publish(ticketChanged, { ticket });
  await eventually(async () => expect((await service.ticketProjection(ticket.id))?.version).toBe(ticket.version));
  return ticket;
}

test('without a text the possible tickets are given, the best first, with all that a person compares', async () => {
  const own = await service.world();
  const location = { id: newId(), version: 1, client_id: own.id, name: 'Cuisine', reference: null, postal_code: null };
  await service.publish(locationChanged, { location: { ...location, facturation_name: null, deleted: false } });
  const quote = { id: newId(), price: '120.50', contractor_id: own.contractor.id, validated_at: null };
  const weak = await known(
    aTicket(own.contractor, {
      location_ids: [location.id],
      quotes: [
        { ...quote, reference: 'D-1', status: 'pending' },
        { ...quote, id: newId(), reference: 'D-2', status: 'declined' },
      ],
    }),
  );
  const other = await service.ingest(own.id, { number: 'FA-OLD', amounts: odd });
  await own.client.call('post', `/invoices/${other._id}/link`, { ticketId: own.ticket.id, viewId: viewOf(own.ticket) });
  const invoice = await service.ingest(own.id, { amounts: near });
  await eventually(async () => expect((await ask(own.client, invoice._id))[1]?.location).toBe('Cuisine'));
  const items = await ask(own.client, invoice._id);
  expect(items).toEqual([
    {
      ...{ ticketId: own.ticket.id, viewId: viewOf(own.ticket), number: own.ticket.number, title: own.ticket.title },
      status: 'finished',
      contractor: { id: own.contractor.id, name: 'Froid Service' },
      location: null,
      quotes: [],
      orders: [{ reference: own.order, amount: 100 }],
      invoiced: [{ invoiceId: other._id, number: 'FA-OLD', ht: 7 }],
      score: expect.any(Number),
      signals: expect.arrayContaining([{ code: 'supplier', points: 15, values: { name: 'Froid Service' } }]),
    },
    expect.objectContaining({
      number: weak.number,
      location: 'Cuisine',
      quotes: [{ reference: 'D-1', price: 120.5, status: 'pending' }],
      orders: [],
      invoiced: [],
    }),
  ]);
  expect(items[0].score).toBeGreaterThan(items[1].score);
  const best = (await ask(own.client, invoice._id, '?limit=1')).map(({ ticketId }: { ticketId: string }) => ticketId);
  expect(best).toEqual([own.ticket.id]);

  // The suggestions of the invoice have the same facts.
  const { score: _score, signals: _signals, ...facts } = items[0];
  const { data } = await own.client.call('get', `/invoices/${invoice._id}`);
  expect(data.suggestions[0]).toMatchObject({ ...facts, reasons: expect.any(Array), signals: expect.any(Array) });
});

test('tickets are found by number, title and references, whoever has them and whatever their dates', async () => {
  const own = await service.world({ number: 'T-000042', title: 'Chambre froide à réparer' });
  const stranger = aContractor(own.id, { name: 'Serrurerie', siren: '552100554', siret: null });
  await service.publish(contractorChanged, { contractor: stranger });
  const elsewhere = await known(
    aTicket(stranger, { number: 'T-000043', title: 'Porte bloquée', created_at: '2026-12-24T08:00:00.000Z' }),
  );
  await known(aTicket(own.contractor, { number: 'T-000044', title: 'Porte annulée', status: 'canceled' }));
  const order = anOrder(elsewhere, { reference: 'BC-2026-777' });
  await service.publish(purchaseChanged, { purchase: order });
  await eventually(async () => expect((await service.ticketProjection(elsewhere.id))?.purchases).toHaveLength(1));
  const { _id } = await service.ingest(own.id, { amounts: near });
  for (const [text, expected] of [
    ['T-000042', ['T-000042']],
    ['42', ['T-000042']],
    ['T-0000', ['T-000042', 'T-000043']],
    ['chambre repar', ['T-000042']],
    ['porte', ['T-000043']],
    ['BC 2026 777', ['T-000043']],
    ['chambre porte', []],
    ...['.*', '^.', '\\', '$where', '{"$gt":""}', '\u0000', '(z+)+$'].map((hostile) => [hostile, []]),
  ] as [string, string[]][]) {
    expect([text, numbers(await ask(own.client, _id, search(text))).sort()]).toEqual([text, expected]);
  }
  const [found] = await ask(own.client, _id, search('porte'));
  expect(found).toMatchObject({
    viewId: viewOf(elsewhere),
    contractor: { id: stranger.id, name: 'Serrurerie' },
    orders: [{ reference: 'BC-2026-777', amount: 100 }],
  });
  expect(found.signals.map(({ code }: { code: string }) => code)).toEqual(expect.arrayContaining(['amount']));
  expect(found.signals.map(({ code }: { code: string }) => code)).not.toContain('supplier');
  const link = { ticketId: found.ticketId, viewId: found.viewId };
  expect((await own.client.call('post', `/invoices/${_id}/link`, link)).status).toBe(200);
});

test('a title that changes is found by its new words alone', async () => {
  const own = await service.world({ title: 'Ancien' });
  const { _id } = await service.ingest(own.id, { amounts: odd });
  await known({ ...own.ticket, version: 2, title: 'Nouveau' });
  expect(numbers(await ask(own.client, _id, search('nouveau')))).toEqual([own.ticket.number]);
  expect(await ask(own.client, _id, search('ancien'))).toEqual([]);
});

test('an invoice that was never read has no candidates, but tickets can be looked for', async () => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { number: null });
  expect(await ask(own.client, _id)).toEqual([]);
  expect(await ask(own.client, _id, search(own.ticket.number))).toMatchObject([
    { ticketId: own.ticket.id, viewId: viewOf(own.ticket), score: 0, signals: [] },
  ]);
});

test("another company's tickets are never candidates, and its invoice does not exist", async () => {
  const [own, neighbour] = [await service.world(), await service.world({ title: 'Secret' })];
  const { _id } = await service.ingest(own.id, { amounts: near });
  for (const text of ['secret', neighbour.ticket.number, neighbour.order]) {
    expect([text, await ask(own.client, _id, search(text))]).toEqual([text, []]);
  }
  expect(numbers(await ask(own.client, _id))).toEqual([own.ticket.number]);
  const foreign = await neighbour.client.call('get', `/invoices/${_id}/candidates`);
  expect([foreign.status, foreign.data.code]).toEqual([404, 'invoice_not_found']);
});

let world: World;
describe('refused', () => {
  beforeAll(async () => {
    world = await service.world();
  });

  test.each([
    [`?q=${'x'.repeat(201)}`, 'q'],
    ['?limit=0', 'limit'],
    ['?limit=51', 'limit'],
    ['?status=open', 'status'],
  ])('candidates%s is 422', async (query, path) => {
    const { _id } = await service.ingest(world.id, { amounts: odd });
    const { status, data } = await world.client.call('get', `/invoices/${_id}/candidates${query}`);
    expect([status, data.errors.map((error: { path: string }) => error.path)]).toEqual([422, [path]]);
  });

  test.each([
    ['a user without the permission', { permissions: ['tickets'] as never }, 403, 'forbidden'],
    ['a contractor company', { companyKind: 'contractor' as const }, 403, 'clients_only'],
    ['an API token', { via: 'token' as const }, 401, 'unauthorized'],
  ])('%s', async (_who, given, status, code) => {
    const { _id } = await service.ingest(world.id, { amounts: odd });
    for (const path of [`/invoices/${_id}/candidates`, '/invoices/search', '/invoices/counts']) {
      const answer = await service.as({ companyId: world.id, ...given }).call('get', path);
      expect([path, answer.status, answer.data.code]).toEqual([path, status, code]);
    }
  });
});
