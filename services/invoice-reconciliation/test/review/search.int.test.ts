import { newId } from '@app/kernel';
import { type Client, type Service, useService } from '../reconciliation.ts';
import { aPayload, viewOf } from '../snapshots.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };
const wrong = { ht: '1.00', tva: '1.00', ttc: '9.00' };

let service: Service;
useService({ settings: { rematchDelayMs: 600_000, pushRetryForMs: 0 } }, (one) => {
  service = one;
});

const find = async (client: Client, query = '') => (await client.call('get', `/invoices/search${query}`)).data;
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

/** A client with an invoice in each of four states, in the order in which they were taken in. */
async function clientWithInvoices() {
  const own = await service.world();
  const { supplier } = aPayload() as { supplier: object };
  const queued = await service.ingest(own.id, { number: 'FA-2026-0001', amounts: odd });
  const review = await service.ingest(own.id, {
    ...{ number: 'FA-2026-0002', amounts: wrong },
    supplier: { ...supplier, name: 'Électricité Dupont', siren: '552100554', siret: null },
  });
  const done = await service.ingest(
    own.id,
    { number: 'FA-2026-0003', references: { purchase_order: own.order } },
    { provider: 'mute' },
  );
  const linked = await service.ingest(own.id, { number: 'FA-2026-0004', amounts: odd }, { provider: 'mute' });
  await own.client.call('post', `/invoices/${linked._id}/link`, {
    ticketId: own.ticket.id,
    viewId: viewOf(own.ticket),
  });
  return { ...own, queued, review, done, linked };
}

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
      ...{ id: review._id, number: 'FA-2026-0002', state: 'manual_review', reasons: ['amounts_inconsistent'] },
      reasonCodes: [{ code: 'amounts_inconsistent', values: {} }],
    },
  ]);
  expect(items[0]).not.toHaveProperty('words');
});

test.each([[''], ['&order=asc'], ['&q=fa'], ['&q=fa&order=asc'], ['&state=ticket_unmatched,manual_review']])(
  'pages of limit=2%s follow each other, each invoice once, also of one moment',
  async (query) => {
    const own = await service.world();
    for (let count = 0; count < 5; count++) await service.ingest(own.id, { amounts: odd });
    const invoices = service.connection.collection('invoices');
    await invoices.updateMany({ client_id: own.id }, { $set: { created_at: new Date('2026-11-20T08:00:00Z') } });
    const whole = idsOf(await find(own.client, `?limit=200${query}`));
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 9; pages++) {
      const page = await find(own.client, `?limit=2${query}${cursor && `&cursor=${cursor}`}`);
      seen.push(...idsOf(page));
      cursor = page.nextCursor;
    }
    expect([seen.length, seen]).toEqual([5, whole]);
  },
);

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

test("another company finds and counts none of them, and cannot use a cursor of another's, or of another list", async () => {
  const { client, id } = await clientWithInvoices();
  const neighbour = service.as();
  for (const query of ['', '?q=fa', `?supplier=${newId()}`]) {
    expect(await find(neighbour, query)).toEqual({ items: [], nextCursor: null });
  }
  const counts = (await neighbour.call('get', '/invoices/counts')).data.state;
  expect(Object.values(counts)).toEqual(Array(12).fill(0));
  const { nextCursor } = await find(client, '?limit=1');
  await service.ingest(id, { amounts: odd });
  const queue = (await client.call('get', '/invoices?limit=1')).data.nextCursor;
  for (const [who, cursor] of [
    [neighbour, nextCursor],
    [client, queue],
    [client, `${nextCursor}x`],
  ] as const) {
    const { status, data } = await who.call('get', `/invoices/search?cursor=${cursor}`);
    expect([status, data.code]).toEqual([422, 'invalid_cursor']);
  }
});

test.each([
  ['limit=0', ['limit']],
  ['limit=201', ['limit']],
  ['state=lost', ['state']],
  ['state=linked,,done', ['state']],
  ['supplier=x', ['supplier']],
  ['from=yesterday', ['from']],
  ['order=up', ['order']],
  [`q=${'x'.repeat(201)}`, ['q']],
  ['page=2', ['page']],
  ['limit=x&state=y&to=z', ['limit', 'state', 'to']],
])('GET /invoices/search?%s is 422 naming %j', async (query, paths) => {
  const { status, data } = await service.as().call('get', `/invoices/search?${query}`);
  expect([status, data.errors.map((error: { path: string }) => error.path).sort()]).toEqual([422, paths.sort()]);
});
