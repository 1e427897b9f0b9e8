import { contractorChanged, purchaseChanged, ticketChanged } from '@app/contracts';
import { columnOf, newId, sortColumns } from '@app/kernel';
import { eventually, type Profiled, profiled as profiledBy } from '@app/testing';
import { createWaitingStore } from '../intake/waiting-store.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceList } from '../invoices/invoice-list.ts';
import { MatchQueries } from '../matching/match-query-store.ts';
import { projectTicket } from '../projections/ticket-projection.ts';
import { odd, quiet, toView, useService, useWorld } from './reconciliation.ts';
import { anOrder, aTicket } from './snapshots.ts';

const many = 2_100;

const service = useService(quiet);
const world = useWorld(service);

/** A client with thousands of tickets of one contractor, of invoices that wait, and of invoices that are done. */
beforeAll(async () => {
  const { id, contractor } = world;
  const waiting = await service.ingest(id, { amounts: odd });
  const broken = await service.ingest(id, { number: null });
  const done = await service.ingest(id, { references: { purchase_order: world.order } }, { provider: 'mute' });
  const at = Date.parse('2026-11-01T00:00:00Z');
  const clones = ({ outbox: _sent, ...invoice }: Invoice & { outbox?: unknown }, from: number) =>
    Array.from({ length: many }, (_, index) => ({
      ...invoice,
      _id: newId(),
      external_id: newId(),
      claims: [],
      created_at: new Date(at + (from + index) * 1000),
      ticket_id: invoice.ticket_id && newId(),
      keys: { ...invoice.keys, lookupKeys: [`n:${newId()}`], references: [newId()] },
      ...(index % 2 === 0 ? {} : { client_id: newId() }),
    }));
  const inReview = clones(broken, 2 * many).map((one, index) => ({
    ...one,
    client_id: id,
    state: index % 2 === 0 ? 'error' : 'manual_review',
  }));
  await service.connection
    .collection('invoices')
    .insertMany([...clones(waiting, 0), ...clones(done, many), ...inReview] as never);
  const tickets = Array.from({ length: many }, (_, index) => {
    const snapshot = aTicket(contractor);
    const keys = [`K${index}`];
    const amounts = [`${contractor.id}:${index * 100}`];
    const updated_at = new Date(at + index * 1000);
    return { ...projectTicket(snapshot, []), _id: snapshot.id, revision: 1, keys, amounts, updated_at };
  });
  await service.connection.collection('ticket_projections').insertMany(tickets as never);
});

/** The profiled operations that have a query plan, without the file storage. */
async function profiled(work: () => Promise<unknown>): Promise<Profiled[]> {
  const all = await profiledBy(service, work);
  return all.filter(({ ns, planSummary }) => planSummary !== undefined && !/fs\./.test(ns));
}

/** No operation reads through a collection, sorts, or looks at more than `most` entries. */
function expectBounded(operations: Profiled[], most: number): void {
  expect(operations).not.toEqual([]);
  for (const { docsExamined = 0, keysExamined = 0, hasSortStage, planSummary, command } of operations) {
    const seen = { planSummary, docsExamined, keysExamined, command: JSON.stringify(command).slice(0, 400) };
    expect({ ...seen, scan: /COLLSCAN/.test(planSummary ?? ''), sort: hasSortStage ?? false }).toEqual({
      ...seen,
      scan: false,
      sort: false,
    });
    expect({ ...seen, tooMany: docsExamined > most || keysExamined > most }).toEqual({ ...seen, tooMany: false });
  }
}

test('what waits for people is counted, and the oldest found, in an index alone', async () => {
  const lists = createWaitingStore({ connection: service.connection });
  const operations = await profiled(async () => {
    for (const { state, count } of await lists.waiting()) {
      if (state === 'ticket_unmatched') expect(count).toBeGreaterThan(many);
    }
  });
  // Without the queries of the background worker, which runs beside.
  const ofLists = operations.filter(({ planSummary = '' }) => planSummary.includes('{ state: 1, created_at: 1 }'));
  expect(ofLists.map(({ docsExamined }) => docsExamined)).toEqual([0, 0, 0, 0, 0, 0]);
});

test('taking in an invoice reads its candidates, at most 200 of a group, and nothing else', async () => {
  const queries = new MatchQueries({ connection: service.connection });
  const operations = await profiled(async () => {
    const first = await service.ingest(world.id, { references: { purchase_order: world.order } });
    expect(await queries.freeClaims(first, [...first.claims, 'a:FR0'])).toEqual([...first.claims, 'a:FR0']);
    await service.ingest(world.id, { amounts: odd });
    await service.ingest(world.id, { kind: 'credit_note', amounts: odd, references: { preceding_invoice: 'FA-1' } });
  });
  expectBounded(operations, 420);
});

test('likely contractors of a supplier without SIREN are found by index', async () => {
  const supplier = { name: world.contractor.name, vat_number: 'DE123456789' };
  const operations = await profiled(async () => {
    await service.ingest(world.id, { supplier, amounts: odd });
  });
  const [named, linked] = ['contractor_projections', 'invoices'].map((ns) =>
    operations.find(
      ({ ns: of, planSummary }) => of?.endsWith(ns) && /name: 1|confirmed_vat: 1/.test(planSummary ?? ''),
    ),
  );
  expect([named?.planSummary, linked?.planSummary]).toEqual([
    'IXSCAN { client_id: 1, name: 1 }',
    'DISTINCT_SCAN { client_id: 1, confirmed_vat: 1, supplier_id: 1 }',
  ]);
  expectBounded(operations, 420);
});

test('the confirmed accounts of a contractor are read once each from their index, and at most 1,000 taken', async () => {
  const invoices = service.connection.collection<Invoice>('invoices');
  const supplier_id = newId();
  const confirm = (accountOf: (index: number) => string) =>
    invoices.insertMany(
      Array.from({ length: many }, (_, index) => ({
        _id: newId(),
        external_id: newId(),
        client_id: world.id,
        supplier_id,
        confirmed_accounts: accountOf(index),
      })) as never,
    );
  await confirm((index) => `FR0\nFR${index % 2}`);
  const queries = new MatchQueries({ connection: service.connection });
  const operations = await profiled(async () => {
    expect((await queries.confirmedAccounts(world.id, supplier_id)).sort()).toEqual(['FR0', 'FR1']);
  });
  expect(operations.map(({ planSummary }) => planSummary)).toContain(
    'DISTINCT_SCAN { client_id: 1, supplier_id: 1, confirmed_accounts: 1 }',
  );
  expectBounded(operations, 210);
  await confirm((index) => `DE${index}`);
  expect(await queries.confirmedAccounts(world.id, supplier_id)).toHaveLength(1_000);
});

test('who else is paid to an account is read once for each supplier, however many invoices have it', async () => {
  const supplier = { name: 'Autre', siren: '552100554', iban: 'FR7630006000011234567890189' };
  const { outbox: _sent, ...one } = (await service.ingest(world.id, { amounts: odd, supplier })) as Invoice & {
    outbox?: unknown;
  };
  const copies = Array.from({ length: many }, () => ({ ...one, _id: newId(), external_id: newId(), claims: [] }));
  await service.connection.collection('invoices').insertMany(copies as never);
  const own = { name: 'Froid', siren: '732829320', iban: supplier.iban };
  const invoice = await service.ingest(world.id, { amounts: odd, supplier: own });
  const queries = new MatchQueries({ connection: service.connection });
  const operations = await profiled(async () => {
    expect(await queries.sharedAccounts(invoice)).toEqual([
      { account: supplier.iban, siren: '552100554', name: 'Autre' },
    ]);
  });
  expectBounded(operations, 20);
});

test('the effects of snapshots are found by index, and bounded', async () => {
  const { contractor, ticket } = world;
  const operations = await profiled(async () => {
    await service.publish(contractorChanged, { contractor: { ...contractor, version: 2 } });
    await service.publish(purchaseChanged, { purchase: anOrder(ticket, { amount: 7 }) });
    await service.publish(ticketChanged, { ticket: { ...ticket, version: 2, title: 'other' } });
    await eventually(async () => {
      const projection = await service.ticketProjection(ticket.id);
      expect([projection?.version, projection?.purchases.length, projection?.rematch_revision]).toEqual([
        2,
        2,
        undefined,
      ]);
    });
  });
  expectBounded(operations, 1_600);
});

test('operator actions and background work read only the invoices concerned', async () => {
  const [item] = (await world.client.call('get', '/invoices?limit=1')).data.items;
  const operations = await profiled(async () => {
    const body = toView(world);
    expect((await world.client.call('post', `/invoices/${item.id}/link`, body)).status).toBe(200);
    expect((await world.client.call('post', `/invoices/${item.id}/unlink`)).status).toBe(200);
    await service.app.worker.runOnce();
  });
  expectBounded(operations, 210);
});

test.each([
  ['?', 'state: 1, created_at'],
  ['/in-review?', 'state: 1, created_at'],
  ['/search?', 'state: 1'],
  ['/search?order=asc', 'state: 1'],
  ['/search?state=done', 'state: 1'],
  ['/search?state=done,ticket_unmatched', 'state: 1'],
  ['/search?supplier=S', 'supplier_id: 1'],
  ['/search?supplier=S&provider=sandbox&state=ticket_unmatched', 'supplier_id: 1'],
  ['/search?provider=sandbox', 'provider: 1, state: 1'],
  ['/search?from=1793491200000&to=1799000000000', 'state: 1'],
  ...sortColumns(invoiceList).map((sort): [string, string] => [
    `/search?sort=${sort}`,
    sort === 'createdAt' ? 'state: 1' : `${columnOf(invoiceList, sort).path}: 1`,
  ]),
])('a page of /invoices%s reads one page by its index, at any depth', async (list, index) => {
  const read = (limit: number, cursor: string) =>
    world.client.call(
      'get',
      `/invoices${list.replace('=S', `=${world.contractor.id}`)}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
    );
  let cursor = '';
  for (let page = 0; page < 3; page++) cursor = (await read(200, cursor)).data.nextCursor;
  const operations = await profiled(async () => {
    for (const from of ['', cursor]) expect((await read(10, from)).data.items).toHaveLength(10);
  });
  const pages = operations.filter(({ planSummary = '' }) => planSummary.includes(`{ client_id: 1, ${index}`));
  expect(pages).toHaveLength(2);
  expect(pages.map(({ docsExamined = 0 }) => docsExamined <= 12)).toEqual([true, true]);
  // One more key for each state; and of a value that many have, those of the pages before.
  expectBounded(operations, list.includes('sort=') ? 700 : 40);
});

test('a filter that few invoices match is read by its own index, whatever the order', async () => {
  const [one] = (await world.client.call('get', '/invoices/search?state=done&limit=1')).data.items;
  const operations = await profiled(async () => {
    const { items } = (await world.client.call('get', `/invoices/search?ticket=${one.ticket}&sort=number`)).data;
    expect(items).toMatchObject([{ id: one.id }]);
  });
  const plans = operations.filter(({ planSummary = '' }) => planSummary.includes('{ client_id: 1, ticket_id: 1'));
  expect(plans).toHaveLength(2);
  expect(Math.max(...operations.map(({ docsExamined = 0 }) => docsExamined))).toBeLessThanOrEqual(1);
});

test('invoices are counted in an index alone', async () => {
  const operations = await profiled(async () => {
    expect((await world.client.call('get', '/invoices/counts')).data.state.ticket_unmatched).toBeGreaterThan(1_000);
  });
  const counts = operations.filter(({ planSummary = '' }) => planSummary.includes('{ client_id: 1, state: 1'));
  expect(counts.length).toBeGreaterThanOrEqual(12);
  expect(counts.every(({ docsExamined }) => docsExamined === 0)).toBe(true);
});

test('a search for a word that thousands have looks at a bounded number of invoices and tickets', async () => {
  const invoices = service.connection.collection<Invoice>('invoices');
  await invoices.updateMany({ client_id: world.id }, { $set: { words: ['COMMON'] } } as never);
  const tickets = service.connection.collection('ticket_projections');
  await tickets.updateMany({ client_id: world.id }, { $set: { words: ['COMMON'] } });
  const [item] = (await world.client.call('get', '/invoices?limit=1')).data.items;
  const operations = await profiled(async () => {
    expect((await world.client.call('get', '/invoices/search?q=comm&limit=10')).data.items).toHaveLength(10);
    const path = `/invoices/${item.id}/candidates`;
    expect((await world.client.call('get', `${path}?q=comm&limit=10`)).data.items).toHaveLength(10);
    expect((await world.client.call('get', `${path}?q=BC-1234`)).data.items).toEqual([]);
  });
  const searches = operations.filter(({ planSummary = '' }) => planSummary.includes('words: 1'));
  expect(searches).toHaveLength(3);
  expectBounded(operations, 2_001);
});

test('one invoice with all that it is compared with, and its best candidates, read only those', async () => {
  const [item] = (await world.client.call('get', '/invoices?limit=1')).data.items;
  const operations = await profiled(async () => {
    expect((await world.client.call('get', `/invoices/${item.id}`)).status).toBe(200);
    expect((await world.client.call('get', `/invoices/${item.id}/candidates`)).status).toBe(200);
  });
  expectBounded(operations, 420);
});
