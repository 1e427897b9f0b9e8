import { newId } from '@app/kernel';
import { link, odd, quiet, toView, useService, useWorld, type World, wrong } from '../reconciliation.ts';

const service = useService(quiet);
const world = useWorld(service);

async function figure({ client }: Pick<World, 'client'>, path: string): Promise<Record<string, unknown>[]> {
  await service.app.statistics.count();
  const { status, data } = await client.call('get', `/statistics/invoices/${path}`);
  expect([status, data.pending]).toEqual([200, 0]);
  return data.items;
}
const amounts = (ht: string, ttc: string) => ({ ht, tva: (Number(ttc) - Number(ht)).toFixed(2), ttc });

test('what waits for a person is told by reason, in its currency, until it is placed', async () => {
  const own = await service.world();
  const queued = await service.ingest(own.id, { amounts: odd });
  await service.ingest(own.id, { amounts: wrong });
  const oldest = queued.created_at.toISOString().slice(0, 10);
  const held = { reason: 'amounts_inconsistent', currency: 'EUR', count: 1, amount: 1, amount_with_vat: 9, oldest };
  expect(await figure(own, 'to-treat')).toEqual([
    held,
    { reason: 'tickets_suggested', currency: 'EUR', count: 1, amount: 7, amount_with_vat: 8.4, oldest },
  ]);
  expect(await figure(own, 'to-treat?group_by=age')).toMatchObject([{ age: '0-2' }, { age: '0-2' }]);
  expect((await link(own, queued._id)).status).toBe(200);
  expect(await figure(own, 'to-treat')).toEqual([held]);
  expect(await figure({ client: service.as() }, 'to-treat')).toEqual([]);
});

test('what is owed is by due date and supplier: credit notes less, currencies apart, and nothing that is paid, refused or replaced', async () => {
  const own = await service.world();
  const due = (due_date: string | null, content: object) => service.ingest(own.id, { due_date, ...content });
  const number = `FA-${newId()}`;
  await due('2020-01-01', { amounts: amounts('100.10', '120.12') });
  await due('2020-01-31', { kind: 'credit_note', amounts: amounts('30.00', '36.00') });
  await due('2999-01-01', { amounts: amounts('1.00', '1.20'), currency: 'CHF' });
  await due(null, { number, amounts: amounts('50.00', '60.00') });
  await due('2020-01-01', { amounts: amounts('9.00', '10.80'), status: 'refused' });
  await due('2020-01-01', { amounts: amounts('8.00', '9.60'), status: 'paid' });
  const item = (of: string, currency: string, count: number, sums: [number, number]) => {
    return expect.objectContaining({ due: of, currency, count, amount: sums[0], amount_with_vat: sums[1] });
  };
  const owed = [
    item('late', 'EUR', 2, [70.1, 84.12]),
    item('later', 'CHF', 1, [1, 1.2]),
    item('undated', 'EUR', 1, [50, 60]),
  ];
  expect(await figure(own, 'payable?group_by=due')).toEqual(owed);
  expect(await figure(own, 'payable?group_by=supplier&from=2020-01-01&to=2020-02-01')).toMatchObject([
    { supplier: own.contractor.id, count: 2, amount: 70.1 },
  ]);
  await due('2020-01-01', {
    kind: 'corrective',
    references: { preceding_invoice: number },
    amounts: amounts('45.00', '54.00'),
  });
  expect(await figure(own, 'payable?group_by=due')).toEqual([item('late', 'EUR', 3, [115.1, 138.12]), owed[1]]);
});

test('an invoice that cannot be read waits without an amount, and holds up no other', async () => {
  const own = await service.world();
  await service.ingest(own.id, { number: null });
  await service.ingest(own.id, { amounts: odd });
  expect(await figure(own, 'to-treat')).toMatchObject([
    { reason: 'step_failed', currency: 'XXX', count: 1, amount: 0 },
    { reason: 'tickets_suggested', currency: 'EUR', count: 1, amount: 7 },
  ]);
  expect(await figure(own, 'payable')).toMatchObject([{ count: 1, amount: 7 }]);
});

test('matches are told by who made them, and whether a person took them back', async () => {
  const own = await service.world();
  const byMachine = await service.ingest(own.id, { references: { purchase_order: own.order } });
  const byPerson = await service.ingest(own.id, { amounts: odd });
  await link(own, byPerson._id);
  const sums = async () => (await figure(own, 'matched')).map(({ by, outcome, amount }) => [by, outcome, amount]);
  expect(await sums()).toEqual([
    ['machine', 'kept', 100],
    ['person', 'kept', 7],
  ]);
  expect((await own.client.call('post', `/invoices/${byMachine._id}/unlink`)).status).toBe(200);
  expect(await sums()).toEqual([
    ['machine', 'corrected', 100],
    ['person', 'kept', 7],
  ]);
});

test('copies that are held count among the checks until somebody decides', async () => {
  const own = await service.world();
  const number = `FA-${newId()}`;
  for (let twice = 0; twice < 2; twice++) await service.ingest(own.id, { number, amounts: odd });
  expect(await figure(own, 'checks')).toMatchObject([{ check: 'duplicate', count: 1, amount: 7 }]);
});

test('an invoice above its order is to be checked until a person has put it on the ticket, or it is paid', async () => {
  const own = await service.world();
  const above = { references: { purchase_order: own.order }, amounts: amounts('900.00', '1080.00') };
  const found = await service.ingest(own.id, above);
  await service.ingest(own.id, { ...above, number: `FA-${newId()}`, status: 'paid' });
  expect(await figure(own, 'checks')).toMatchObject([{ check: 'above_order', count: 1, amount: 900 }]);
  const reason = 'Agreed by telephone';
  const linked = await own.client.call('post', `/invoices/${found._id}/link`, { ...toView(own), reason });
  expect(linked.status).toBe(200);
  expect(await figure(own, 'checks')).toEqual([]);
  expect((await own.client.call('post', `/invoices/${found._id}/unlink`)).status).toBe(200);
  expect(await figure(own, 'checks')).toMatchObject([{ check: 'above_order', count: 1 }]);
});

test('only the accounting of clients may ask', async () => {
  const codes = [];
  for (const given of [{ permissions: ['tickets'] }, { companyKind: 'contractor' }] as const)
    codes.push((await service.as(given as object).call('get', '/statistics/invoices/payable')).data.code);
  expect(codes).toEqual(['forbidden', 'clients_only']);
  expect((await world.client.call('get', '/statistics/invoices/payable')).status).toBe(200);
});

test('the list behind a number has the invoices that it counts, with their sum', async () => {
  const own = await service.world();
  await service.ingest(own.id, { amounts: odd, due_date: '2020-01-01' });
  await service.ingest(own.id, { amounts: odd, due_date: '2020-01-02', status: 'paid' });
  await service.ingest(own.id, { amounts: wrong, due_date: null });
  const byMachine = await service.ingest(own.id, { references: { purchase_order: own.order }, due_date: '2020-02-01' });
  expect((await own.client.call('post', `/invoices/${byMachine._id}/unlink`)).status).toBe(200);
  for (const [counted, path, of] of [
    ['to_treat.tickets_suggested', 'to-treat', { reason: 'tickets_suggested' }],
    ['to_treat.amounts_inconsistent', 'to-treat', { reason: 'amounts_inconsistent' }],
    ['to_treat', 'to-treat', {}],
    ['payable', 'payable', {}],
    ['payable.held', 'payable', { standing: 'held' }],
    ['payable&countedFrom=2020-01-01&countedTo=2020-02-01', 'payable?from=2020-01-01&to=2020-02-01', {}],
    ['matched.machine.corrected', 'matched', { outcome: 'corrected' }],
    ['matched.machine.kept', 'matched', { outcome: 'kept' }],
    ['checks', 'checks', {}],
  ] as const) {
    const items = (await figure(own, path)).filter((item) =>
      Object.entries(of).every(([name, value]) => item[name] === value),
    );
    const count = items.reduce((sum, item) => sum + Number(item['count']), 0);
    const { data } = await own.client.call('get', `/invoices/search?countedIn=${counted}`);
    expect([counted, data.items.length]).toEqual([counted, count]);
    const totals = (await own.client.call('get', `/invoices/totals?countedIn=${counted}`)).data.items;
    const amount = items.reduce((sum, item) => sum + Number(item['amount']), 0);
    expect([counted, totals[0]?.ht ?? 0]).toEqual([counted, amount]);
  }
  const other = (await service.as().call('get', '/invoices/search?countedIn=payable')).data.items;
  expect(other).toEqual([]);
  expect((await own.client.call('get', '/invoices/search?countedIn=paid')).status).toBe(422);
});
