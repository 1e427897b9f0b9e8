import { contractorChanged, locationChanged, purchaseChanged, ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type Client, link, near, odd, quiet, read, useService } from '../reconciliation.ts';
import { aContractor, anOrder, aPayload, aTicket, viewOf } from '../snapshots.ts';

const service = useService(quiet);
const first = 'FR7630006000011234567890189';
const second = 'FR7610107001011234567890129';
const { supplier } = aPayload() as { supplier: { name: string } };

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
        { ...quote, reference: 'D-1', includes_vat: true, status: 'pending' },
        { ...quote, id: newId(), reference: 'D-2', includes_vat: false, status: 'declined' },
      ],
    }),
  );
  const other = await service.ingest(own.id, { number: 'FA-OLD', amounts: odd });
  await link(own, other._id);
  const invoice = await service.ingest(own.id, { amounts: near });
  await eventually(async () => expect((await ask(own.client, invoice._id))[1]?.location).toBe('Cuisine'));
  const items = await ask(own.client, invoice._id);
  expect(items).toEqual([
    {
      ticketId: own.ticket.id,
      viewId: viewOf(own.ticket),
      number: own.ticket.number,
      title: own.ticket.title,
      status: 'finished',
      contractor: { id: own.contractor.id, name: 'Froid Service' },
      location: null,
      quotes: [],
      orders: [{ reference: own.order, amount: 100, includesVat: false }],
      invoiced: [{ invoiceId: other._id, number: 'FA-OLD', ht: 7, ttc: 8.4 }],
      score: expect.any(Number),
      signals: expect.arrayContaining([{ code: 'supplier', points: 15, values: { name: 'Froid Service' } }]),
    },
    expect.objectContaining({
      number: weak.number,
      location: 'Cuisine',
      quotes: [{ reference: 'D-1', price: 120.5, includesVat: true, status: 'pending' }],
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

test('a wrong question for candidates is 422, and names what is wrong', async () => {
  const { id, client } = await service.world();
  const { _id } = await service.ingest(id, { amounts: odd });
  for (const [query, path] of [
    [`q=${'x'.repeat(201)}`, 'q'],
    ['limit=0', 'limit'],
    ['limit=51', 'limit'],
    ['status=open', 'status'],
  ]) {
    const { status, data } = await client.call('get', `/invoices/${_id}/candidates?${query}`);
    expect([status, data.errors.map((error: { path: string }) => error.path)]).toEqual([422, [path]]);
  }
});

test('a suspected duplicate names the other one with its ticket, and both name each other', async () => {
  const own = await service.world();
  const original = await service.ingest(own.id, { number: 'FA-1', references: { purchase_order: own.order } });
  const copy = await service.ingest(own.id, { number: 'fa 1', references: { purchase_order: own.order } });
  const other = await service.ingest(own.id, { number: 'FA-1', amounts: odd });
  const ticket = { id: own.ticket.id, number: own.ticket.number };
  const shown = await read(own, copy._id);
  expect(shown).toMatchObject({
    state: 'manual_review',
    reasonCodes: [{ code: 'duplicate_suspected', values: {} }],
    linkedTicket: null,
  });
  expect(shown.related).toEqual(
    expect.arrayContaining([
      { id: original._id, number: 'FA-1', state: 'feedback_pending', relation: 'duplicate', ticket },
      { id: other._id, number: 'FA-1', state: other.state, relation: 'same_number', ticket: null },
    ]),
  );
  const its = await read(own, original._id);
  expect(its.linkedTicket).toMatchObject({
    ticketId: own.ticket.id,
    viewId: viewOf(own.ticket),
    number: own.ticket.number,
    status: 'finished',
    contractor: { name: 'Froid Service' },
    orders: [{ reference: own.order, amount: 100 }],
    invoiced: [],
  });
  expect(its.related).toContainEqual(
    expect.objectContaining({ id: copy._id, relation: 'duplicate', state: 'manual_review' }),
  );
  const match = its.history.find(({ to }: { to: string }) => to === 'ticket_matched');
  expect(match).toMatchObject({ by: null, reasonCodes: [{ code: 'ticket_found', values: { score: 100 } }] });
  expect(match.signals.map(({ code }: { code: string }) => code)).toEqual(
    expect.arrayContaining(['reference', 'supplier', 'amount']),
  );
});

test('a credit note and a corrective invoice name the invoice that they are about, and a replaced one what replaces it', async () => {
  const own = await service.world();
  const invoice = await service.ingest(own.id, { number: 'FA-7', references: { purchase_order: own.order } });
  const about = { references: { preceding_invoice: 'FA-7' }, amounts: odd };
  const credit = await service.ingest(own.id, { ...about, number: 'AV-7', kind: 'credit_note' });
  const corrective = await service.ingest(own.id, { ...about, number: 'FC-7', kind: 'corrective' });
  const related = async (id: string) =>
    (await read(own, id)).related.map((one: { id: string; relation: string }) => [one.id, one.relation]);
  expect(await related(credit._id)).toEqual([[invoice._id, 'credits']]);
  expect(await related(corrective._id)).toEqual([[invoice._id, 'replaces']]);
  expect(await related(invoice._id)).toEqual([[corrective._id, 'replaced_by']]);
});

test('a changed IBAN stands beside those that people confirmed, and those of other companies do not', async () => {
  const [own, neighbour] = [await service.world(), await service.world()];
  for (const [world, iban] of [
    [own, first],
    [neighbour, second],
  ] as const) {
    const confirmed = await service.ingest(world.id, { amounts: odd, supplier: { ...supplier, iban } });
    expect((await link(world, confirmed._id)).status).toBe(200);
  }
  const changed = await service.ingest(own.id, { amounts: odd, supplier: { ...supplier, iban: second } });
  expect(await read(own, changed._id)).toMatchObject({
    state: 'manual_review',
    reasonCodes: [{ code: 'iban_changed' }],
    supplier: { iban: second },
    knownAccounts: [first],
  });
});

test('an account of two suppliers is told with the other one, before a link confirms it and after', async () => {
  const [own, neighbour] = [await service.world(), await service.world()];
  const shared = { iban: first };
  const [one, other, third] = await Promise.all([
    service.ingest(own.id, { amounts: odd, supplier: { ...supplier, ...shared } }),
    service.ingest(own.id, { amounts: odd, supplier: { name: 'Autre SARL', siren: '552100554', ...shared } }),
    service.ingest(own.id, { amounts: odd, supplier: { ...supplier, iban: second } }),
    service.ingest(neighbour.id, { amounts: odd, supplier: { name: 'Voisin', siren: '356000000', ...shared } }),
  ]);
  const sharedOn = async (id: string) => (await read(own, id)).sharedAccounts;
  const seen = async () => [await sharedOn(one._id), await sharedOn(other._id), await sharedOn(third._id)];
  const expected = [
    [{ account: first, siren: '552100554', name: 'Autre SARL' }],
    [{ account: first, siren: '732829320', name: 'Froid Service' }],
    [],
  ];
  expect(await seen()).toEqual(expected);
  for (const { _id } of [one, other]) expect((await link(own, _id)).status).toBe(200);
  expect(await seen()).toEqual(expected);
});

test('what the provider changed after the link is shown before and after, until a person decides', async () => {
  const own = await service.world();
  const content = { number: 'FA-9', amounts: odd };
  const { _id, external_id } = await service.ingest(own.id, content);
  await link(own, _id);
  const again = (given: object) => service.ingest(own.id, { ...content, ...given }, { external_id });
  await again({ amounts: { ht: '70.00', tva: '14.00', ttc: '84.00' } });
  await again({ amounts: { ht: '70.00', tva: '14.00', ttc: '84.00' }, supplier: { ...supplier, iban: first } });
  expect(await read(own, _id)).toMatchObject({
    state: 'manual_review',
    reasonCodes: [{ code: 'changed_after_link', values: {} }],
    changes: [
      { field: 'amounts.ht', before: 7, after: 70 },
      { field: 'amounts.tva', before: 1.4, after: 14 },
      { field: 'amounts.ttc', before: 8.4, after: 84 },
      { field: 'supplier.accounts', before: null, after: first },
    ],
  });
  await link(own, _id);
  expect(await read(own, _id)).toMatchObject({ reasons: [], changes: [], ticket: own.ticket.id });
});

test('who acted is in the history, and when an invoice is matched again', async () => {
  const own = await service.world();
  const review = await service.ingest(own.id, { amounts: { ht: '1.00', tva: '1.00', ttc: '9.00' } });
  expect((await read(own, review._id)).rematchAt).toBeNull();
  await own.client.call('post', `/invoices/${review._id}/clear-review`);
  const cleared = await read(own, review._id);
  expect(Date.parse(cleared.rematchAt)).toBeGreaterThan(Date.now());
  const by = { id: own.client.caller.userId };
  expect(cleared.history.at(-1)).toMatchObject({ by, reasonCodes: [{ code: 'review_cleared', values: {} }] });
  await link(own, review._id);
  await own.client.call('post', `/invoices/${review._id}/unlink`);
  const { history } = await read(own, review._id);
  const coded = history.flatMap((move: { by: object | null; reasonCodes: { code: string; values: object }[] }) =>
    move.by ? move.reasonCodes.map(({ code, values }) => [code, values]) : [],
  );
  expect(coded).toEqual([
    ['review_cleared', {}],
    ['linked', { ticket: own.ticket.number }],
    ['unlinked', {}],
  ]);
});
