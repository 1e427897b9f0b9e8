import { invoiceGone } from '@app/contracts';
import { newId } from '@app/kernel';
import { metrics } from '@app/runtime';
import type { AxiosResponse } from 'axios';
import { createWaitingStore } from '../../intake/waiting-store.ts';
import { invoiceCollection } from '../../invoices/invoice-collection.ts';
import { type Client, link, odd, quiet, read, useService, wrong } from '../reconciliation.ts';
import { aPayload, viewOf } from '../snapshots.ts';

const service = useService(quiet);
const find = async (client: Client, query = '') => (await client.call('get', `/invoices/search${query}`)).data;
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

/** A client with an invoice in each of four states, in the order in which they were taken in. */
async function clientWithInvoices() {
  const own = await service.world();
  const { supplier } = aPayload() as { supplier: object };
  const queued = await service.ingest(own.id, { number: 'FA-2026-0001', amounts: odd });
  const review = await service.ingest(own.id, {
    number: 'FA-2026-0002',
    amounts: wrong,
    supplier: { ...supplier, name: 'Électricité Dupont', siren: '552100554', siret: null },
  });
  const done = await service.ingest(
    own.id,
    { number: 'FA-2026-0003', references: { purchase_order: own.order } },
    { provider: 'mute' },
  );
  const linked = await service.ingest(own.id, { number: 'FA-2026-0004', amounts: odd }, { provider: 'mute' });
  await link(own, linked._id);
  return { ...own, queued, review, done, linked };
}

test('the queue shows an invoice with suggestions and their reasons', async () => {
  const own = await service.world();
  const invoice = await service.ingest(own.id, {
    number: 'FA-77',
    amounts: { ht: '97.00', tva: '19.40', ttc: '116.40' },
    references: { buyer_reference: 'X' },
    due_date: '0001-01-01',
  });
  const { status, data } = await own.client.call('get', '/invoices');
  expect(status).toBe(200);
  expect(data.nextCursor).toBeNull();
  expect(data.items).toEqual([
    {
      id: invoice._id,
      client: own.id,
      connection: invoice.connection_id,
      provider: 'sandbox',
      externalId: invoice.external_id,
      supplier: {
        externalId: null,
        name: 'Froid Service',
        siret: '73282932000074',
        siren: '732829320',
        iban: null,
        accounts: [],
      },
      supplierId: own.contractor.id,
      ticket: null,
      number: 'FA-77',
      kind: 'invoice',
      issueDate: '2026-11-12',
      currency: 'EUR',
      amounts: { ht: 97, tva: 19.4, ttc: 116.4 },
      vatBreakdown: [{ rate: 0.2, base: 100, amount: 20 }],
      providerStatus: 'received',
      matchHints: { poRef: null, ticketRef: null, orderRef: null },
      warnings: ['the due date is no date'],
      state: 'ticket_unmatched',
      createdAt: invoice.created_at.toISOString(),
      updatedAt: invoice.updated_at.toISOString(),
      flags: expect.any(Array),
      suggestions: [
        {
          ticketId: own.ticket.id,
          viewId: viewOf(own.ticket),
          number: own.ticket.number,
          title: own.ticket.title,
          score: expect.any(Number),
          reasons: expect.arrayContaining([expect.any(String)]),
          signals: expect.arrayContaining([
            { code: 'supplier', points: 15, values: { name: 'Froid Service' } },
            { code: 'ticket_status', points: 4, values: { status: 'finished' } },
          ]),
        },
      ],
    },
  ]);
});

test('invoices in review or error are listed oldest first with their reasons, page by page, and no others', async () => {
  const { id, client, order } = await service.world();
  const review = await service.ingest(id, { amounts: wrong });
  const broken = await service.ingest(id, { number: null });
  await service.ingest(id, { amounts: odd });
  await service.ingest(id, { references: { purchase_order: order } });
  const gone = await service.ingest(id, { amounts: odd });
  const at = new Date().toISOString();
  const deletion = { client_id: id, provider: 'sandbox', at, sequence: Date.parse(at) + 1 };
  await service.publish(invoiceGone, { ...deletion, external_id: gone.external_id });
  await service.becomes(gone, { state: 'manual_review' });

  const { status, data } = await client.call('get', '/invoices/in-review');
  expect([status, data.nextCursor]).toEqual([200, null]);
  expect(data.items).toMatchObject([
    { id: review._id, client: id, state: 'manual_review', reasons: ['amounts_inconsistent'], suggestions: [] },
    { id: broken._id, client: id, state: 'error', number: null },
    {
      id: gone._id,
      state: 'manual_review',
      reasons: expect.arrayContaining(['provider_status']),
      flags: ['provider_status'],
    },
  ]);
  // A cleared invoice moves from this list to the queue, cleared twice as well as once.
  for (const _ of [1, 2]) {
    expect((await client.call('post', `/invoices/${review._id}/clear-review`)).data).toEqual({ ok: true });
  }
  expect(await read({ client }, review._id)).toMatchObject({ state: 'ticket_unmatched', reasons: [] });
  expect(idsOf((await client.call('get', '/invoices/in-review')).data)).toEqual([broken._id, gone._id]);
  expect(idsOf((await client.call('get', '/invoices')).data)).toContain(review._id);
});

test('what waits for people is counted by state, with the oldest', async () => {
  const { id } = await service.world();
  const lists = createWaitingStore({ connection: service.connection });
  const before = new Map((await lists.waiting()).map((one) => [one.state, one.count]));
  const broken = await service.ingest(id, { number: null });
  await service.ingest(id, { amounts: wrong });
  const after = await lists.waiting();
  const added = after.map(({ state, count }) => [state, count - (before.get(state) ?? 0)]);
  expect(added).toEqual([
    ['ticket_unmatched', 0],
    ['error', 1],
    ['manual_review', 1],
  ]);
  const oldest = after.find(({ state }) => state === 'error')?.oldest as Date;
  expect(oldest.getTime()).toBeLessThanOrEqual(broken.created_at.getTime());
  const text = await metrics.metrics();
  expect(text).toMatch(/^invoices_waiting\{state="error"\} [1-9]/m);
  expect(text).toMatch(/^invoices_oldest_waiting_seconds\{state="error"\} \d/m);
  expect(text).toMatch(/^invoices_overdue 0$/m);
  expect(text).toMatch(/^invoice_processing_duration_seconds_count\{state="manual_review"\} [1-9]/m);
});

test('overdue is what has been due for a minute, be it a step or a rematch', async () => {
  const { id } = await service.world();
  const invoices = invoiceCollection(service.connection);
  // So late that the worker leaves them; invoices of other tests are due before.
  const dueAt = (minutes: number) => new Date(Date.UTC(2100, 0, 1, 0, minutes));
  for (const due of [{ due_at: dueAt(0) }, { rematch_at: dueAt(1) }]) {
    const { _id } = await service.ingest(id);
    await invoices.updateOne({ _id }, { $set: due });
  }
  const { countOverdue } = createWaitingStore({ connection: service.connection });
  const others = await countOverdue(dueAt(0));
  expect(await countOverdue(dueAt(1))).toBe(others + 1);
  expect(await countOverdue(dueAt(2))).toBe(others + 2);
});

test('invoices in any state are found, by each filter and several, newest first or oldest first', async () => {
  const { client, contractor, queued, review, done, linked } = await clientWithInvoices();
  const all = [linked._id, done._id, review._id, queued._id];
  const at = (index: number) => [queued, review, done, linked][index]?.created_at.getTime();
  for (const [query, expected] of [
    ['', all],
    ['?order=asc', [...all].reverse()],
    ['?state=linked,done', [linked._id, done._id]],
    ['?state=manual_review', [review._id]],
    [`?supplier=${contractor.id}&order=asc`, [queued._id, done._id, linked._id]],
    [`?supplier=${contractor.id}&state=linked`, [linked._id]],
    ['?provider=mute', [linked._id, done._id]],
    [`?provider=mute&supplier=${contractor.id}&state=done`, [done._id]],
    ['?provider=nobody', []],
    [`?from=${at(2)}`, [linked._id, done._id]],
    [`?from=${at(1)}&to=${at(2)}`, [review._id]],
    [`?to=${queued.created_at.toISOString()}`, []],
    ['?q=FA-2026-0003', [done._id]],
    ['?q=fa-2026&order=asc', [...all].reverse()],
    ['?q=electricite', [review._id]],
    ['?q=dupont%20fa-2026-0002', [review._id]],
    ['?q=552%20100%20554', [review._id]],
    ['?q=froid&state=linked', [linked._id]],
    [`?q=froid&supplier=${contractor.id}&provider=mute&from=${at(3)}`, [linked._id]],
    ['?q=dupont%20froid', []],
    ...['.*', '%24where', '%5C', '%00', '^F^'].map((hostile) => [`?q=${hostile}x`, []]),
  ] as [string, string[]][]) {
    expect([query, idsOf(await find(client, query))]).toEqual([query, expected]);
  }
  const { items } = await find(client, '?state=manual_review');
  expect(items).toMatchObject([
    {
      id: review._id,
      number: 'FA-2026-0002',
      state: 'manual_review',
      reasons: ['amounts_inconsistent'],
      reasonCodes: [{ code: 'amounts_inconsistent', values: {} }],
    },
  ]);
  expect(items[0]).not.toHaveProperty('words');
});

describe('pages', () => {
  let own: Awaited<ReturnType<typeof service.world>>;
  beforeAll(async () => {
    own = await service.world();
    for (const amounts of [odd, odd, odd, wrong, wrong, wrong]) await service.ingest(own.id, { amounts });
    const created_at = new Date('2026-11-20T08:00:00Z');
    await service.connection.collection('invoices').updateMany({ client_id: own.id }, { $set: { created_at } });
  });

  test.each([
    ['/invoices?', 3],
    ['/invoices/in-review?', 3],
    ['/invoices/search?', 6],
    ['/invoices/search?order=asc', 6],
    ['/invoices/search?q=fa', 6],
    ['/invoices/search?q=fa&order=asc', 6],
    ['/invoices/search?state=ticket_unmatched,manual_review', 6],
  ])('of two of %s follow each other, each invoice once, also of one moment', async (list, count) => {
    const whole = idsOf((await own.client.call('get', `${list}&limit=200`)).data);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null && seen.length < 9; ) {
      const { data }: AxiosResponse = await own.client.call('get', `${list}&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...idsOf(data));
      cursor = data.nextCursor;
    }
    expect([seen.length, seen]).toEqual([count, whole]);
  });
});

test('invoices are counted by state, without those of another company', async () => {
  const { client } = await clientWithInvoices();
  const { status, data } = await client.call('get', '/invoices/counts');
  const none = { received: 0, normalized: 0, supplier_matched: 0, supplier_unmatched: 0, ticket_matched: 0 };
  const some = { ticket_unmatched: 1, manual_review: 1, done: 1, linked: 1 };
  expect([status, data]).toEqual([
    200,
    { state: { ...none, feedback_pending: 0, feedback_sent: 0, error: 0, ...some }, limit: 10_000 },
  ]);
});

test("another company finds and counts none of them, with a cursor of another's neither; an altered one is refused", async () => {
  const { client, id } = await clientWithInvoices();
  await service.ingest(id, { amounts: odd });
  await service.ingest(id, { amounts: wrong });
  const neighbour = service.as();
  const lists = ['/invoices', '/invoices/in-review', '/invoices/search'];
  for (const path of [...lists, '/invoices/search?q=fa', `/invoices/search?supplier=${newId()}`]) {
    expect([path, (await neighbour.call('get', path)).data]).toEqual([path, { items: [], nextCursor: null }]);
  }
  const counts = (await neighbour.call('get', '/invoices/counts')).data.state;
  expect(Object.values(counts)).toEqual(Array(12).fill(0));
  for (const list of lists) {
    const cursor = (await client.call('get', `${list}?limit=1`)).data.nextCursor;
    const theirs = await neighbour.call('get', `${list}?cursor=${cursor}`);
    expect([list, theirs.data]).toEqual([list, { items: [], nextCursor: null }]);
    const { status, data } = await client.call('get', `${list}?cursor=${String(cursor).slice(1)}`);
    expect([list, status, data.code]).toEqual([list, 422, 'invalid_cursor']);
  }
});

test.each([
  ['/invoices?limit=0', ['limit']],
  ['/invoices?limit=201', ['limit']],
  ['/invoices?state=linked', ['state']],
  ['/invoices/in-review?limit=0', ['limit']],
  ['/invoices/in-review?limit=201', ['limit']],
  ['/invoices/in-review?state=error', ['state']],
  ['/invoices/search?limit=201', ['limit']],
  ['/invoices/search?state=lost', ['state']],
  ['/invoices/search?state=linked,,done', ['state']],
  ['/invoices/search?supplier=x', ['supplier']],
  ['/invoices/search?from=yesterday', ['from']],
  ['/invoices/search?from=1700000000', ['from']],
  ['/invoices/search?order=up', ['order']],
  [`/invoices/search?q=${'x'.repeat(201)}`, ['q']],
  ['/invoices/search?limit=x&state=y&to=z', ['limit', 'state', 'to']],
])('GET %s is 422 naming %j', async (path, paths) => {
  const { status, data } = await service.as().call('get', path);
  expect([status, data.errors.map((error: { path: string }) => error.path).sort()]).toEqual([422, paths.sort()]);
});

test.each([
  ['a contractor company', { companyKind: 'contractor' as const }, 403, 'clients_only'],
  ['an API token', { via: 'token' as const }, 401, 'unauthorized'],
])('%s gets no list', async (_who, given, status, code) => {
  for (const path of ['', '/in-review', '/search', '/counts']) {
    const answer = await service.as(given).call('get', `/invoices${path}`);
    expect([path, answer.status, answer.data.code]).toEqual([path, status, code]);
  }
});
