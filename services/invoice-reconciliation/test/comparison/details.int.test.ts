import { type Client, type Service, useService, type World } from '../reconciliation.ts';
import { aPayload, viewOf } from '../snapshots.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };
const first = 'FR7630006000011234567890189';
const second = 'FR7610107001011234567890129';

let service: Service;
useService({ settings: { rematchDelayMs: 600_000, pushRetryForMs: 0 } }, (one) => {
  service = one;
});

const { supplier } = aPayload() as { supplier: object };
const read = async (client: Client, id: string) => (await client.call('get', `/invoices/${id}`)).data;
const link = ({ client, ticket }: World, id: string) =>
  client.call('post', `/invoices/${id}/link`, { ticketId: ticket.id, viewId: viewOf(ticket) });

test('a suspected duplicate names the other one with its ticket, and both name each other', async () => {
  const own = await service.world();
  const original = await service.ingest(own.id, { number: 'FA-1', references: { purchase_order: own.order } });
  const copy = await service.ingest(own.id, { number: 'fa 1', references: { purchase_order: own.order } });
  const other = await service.ingest(own.id, { number: 'FA-1', amounts: odd });
  const ticket = { id: own.ticket.id, number: own.ticket.number };
  const shown = await read(own.client, copy._id);
  expect(shown).toMatchObject({
    ...{ state: 'manual_review', reasonCodes: [{ code: 'duplicate_suspected', values: {} }] },
    linkedTicket: null,
  });
  expect(shown.related).toEqual(
    expect.arrayContaining([
      { id: original._id, number: 'FA-1', state: 'feedback_pending', relation: 'duplicate', ticket },
      { id: other._id, number: 'FA-1', state: other.state, relation: 'same_number', ticket: null },
    ]),
  );
  const its = await read(own.client, original._id);
  expect(its.linkedTicket).toMatchObject({
    ...{ ticketId: own.ticket.id, viewId: viewOf(own.ticket), number: own.ticket.number, status: 'finished' },
    ...{ contractor: { name: 'Froid Service' }, orders: [{ reference: own.order, amount: 100 }], invoiced: [] },
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
    (await read(own.client, id)).related.map((one: { id: string; relation: string }) => [one.id, one.relation]);
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
  expect(await read(own.client, changed._id)).toMatchObject({
    ...{ state: 'manual_review', reasonCodes: [{ code: 'iban_changed' }], supplier: { iban: second } },
    knownIbans: [first],
  });
});

test('what the provider changed after the link is shown before and after, until a person decides', async () => {
  const own = await service.world();
  const content = { number: 'FA-9', amounts: odd };
  const { _id, external_id } = await service.ingest(own.id, content);
  await link(own, _id);
  const again = (given: object) => service.ingest(own.id, { ...content, ...given }, { external_id });
  await again({ amounts: { ht: '70.00', tva: '14.00', ttc: '84.00' } });
  await again({ amounts: { ht: '70.00', tva: '14.00', ttc: '84.00' }, supplier: { ...supplier, iban: first } });
  expect(await read(own.client, _id)).toMatchObject({
    state: 'manual_review',
    reasonCodes: [{ code: 'changed_after_link', values: {} }],
    changes: [
      { field: 'amounts.ht', before: 7, after: 70 },
      { field: 'amounts.tva', before: 1.4, after: 14 },
      { field: 'amounts.ttc', before: 8.4, after: 84 },
      { field: 'supplier.iban', before: null, after: first },
    ],
  });
  await link(own, _id);
  expect(await read(own.client, _id)).toMatchObject({ reasons: [], changes: [], ticket: own.ticket.id });
});

test('who acted is in the history, and when an invoice is matched again', async () => {
  const own = await service.world();
  const review = await service.ingest(own.id, { amounts: { ht: '1.00', tva: '1.00', ttc: '9.00' } });
  expect((await read(own.client, review._id)).rematchAt).toBeNull();
  await own.client.call('post', `/invoices/${review._id}/clear-review`);
  const cleared = await read(own.client, review._id);
  expect(Date.parse(cleared.rematchAt)).toBeGreaterThan(Date.now());
  const by = { id: own.client.caller.userId };
  expect(cleared.history.at(-1)).toMatchObject({ by, reasonCodes: [{ code: 'review_cleared', values: {} }] });
  await link(own, review._id);
  await own.client.call('post', `/invoices/${review._id}/unlink`);
  const { history } = await read(own.client, review._id);
  const coded = history.flatMap((move: { by: object | null; reasonCodes: { code: string; values: object }[] }) =>
    move.by ? move.reasonCodes.map(({ code, values }) => [code, values]) : [],
  );
  expect(coded).toEqual([
    ['review_cleared', {}],
    ['linked', { ticket: own.ticket.number }],
    ['unlinked', {}],
  ]);
});

test('an invoice of the release before, without any of it, is shown all the same', async () => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { amounts: { ht: '97.00', tva: '19.40', ttc: '116.40' } });
  await service.connection
    .collection('invoices')
    .updateOne({ _id: _id as never }, { $unset: { 'suggestions.0.signals': 1, words: 1 } });
  const { status, data } = await own.client.call('get', `/invoices/${_id}`);
  expect([status, data.suggestions[0].signals, data.changes, data.related]).toEqual([200, [], [], []]);
  expect(data.reasonCodes).toEqual([{ code: 'tickets_suggested', values: { count: 1, score: expect.any(Number) } }]);
});
