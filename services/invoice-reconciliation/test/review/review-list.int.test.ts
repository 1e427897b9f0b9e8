import { invoiceGone } from '@app/contracts';
import { newId } from '@app/kernel';
import { metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import { createQueueStore } from '../../review/queue-store.ts';
import { type Service, useService, type World } from '../reconciliation.ts';

const wrong = { ht: '1.00', tva: '1.00', ttc: '9.00' };
const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };

let service: Service;
let world: World;
useService({ settings: { rematchDelayMs: 600_000 } }, async (one) => {
  service = one;
  world = await service.world();
});

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);

test('invoices in review or error are listed oldest first with their reasons, page by page, and no others', async () => {
  const { id, client, order } = world;
  const review = await service.ingest(id, { amounts: wrong });
  const broken = await service.ingest(id, { number: null });
  await service.ingest(id, { amounts: odd });
  await service.ingest(id, { references: { purchase_order: order } });
  const gone = await service.ingest(id, { amounts: odd });
  const at = new Date().toISOString();
  await service.publish(invoiceGone, { client_id: id, provider: 'sandbox', external_id: gone.external_id, at });
  await eventually(async () => expect(await service.invoice(gone)).toMatchObject({ state: 'manual_review' }));

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
  const first = (await client.call('get', '/invoices/in-review?limit=2')).data;
  const second = (await client.call('get', `/invoices/in-review?limit=2&cursor=${first.nextCursor}`)).data;
  expect([...idsOf(first.items), ...idsOf(second.items)]).toEqual(idsOf(data.items));
  expect(second.nextCursor).toBeNull();

  // A cleared invoice moves from this list to the queue.
  expect((await client.call('post', `/invoices/${review._id}/clear-review`)).status).toBe(200);
  expect(idsOf((await client.call('get', '/invoices/in-review')).data.items)).toEqual([broken._id, gone._id]);
  expect(idsOf((await client.call('get', '/invoices')).data.items)).toContain(review._id);
});

test('what waits for people is counted by state, with the oldest', async () => {
  const lists = createQueueStore({ connection: service.connection });
  const before = new Map((await lists.waiting()).map((one) => [one.state, one.count]));
  const broken = await service.ingest(world.id, { number: null });
  await service.ingest(world.id, { amounts: wrong });
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

test.each([
  ['linked', 'link', () => ({ ticketId: world.ticket.id, viewId: world.ticket.views[1]?.id })],
  ['cleared', 'clear-review', () => undefined],
])('an invoice that the provider deleted before it was read cannot be %s: 409', async (_what, path, body) => {
  const { id, client } = world;
  const broken = await service.ingest(id, { number: null });
  const at = new Date().toISOString();
  await service.publish(invoiceGone, { client_id: id, provider: 'sandbox', external_id: broken.external_id, at });
  await eventually(async () => expect(await service.invoice(broken)).toMatchObject({ state: 'manual_review' }));
  const { status, data } = await client.call('post', `/invoices/${broken._id}/${path}`, body());
  expect([status, data.code, data.from]).toEqual([409, 'invoice_state_forbidden', 'manual_review']);
  expect(await service.invoice(broken)).toMatchObject({ state: 'manual_review', ticket_id: null, line_version: 0 });
});

test("another company's list shows none of them", async () => {
  await service.ingest(world.id, { amounts: wrong });
  const { status, data } = await service.as().call('get', '/invoices/in-review');
  expect([status, data]).toEqual([200, { items: [], nextCursor: null }]);
});

test.each([
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=x', 'limit'],
  ['state=error', 'state'],
])('GET /invoices/in-review?%s is 422 naming %s', async (query, path) => {
  const { status, data } = await world.client.call('get', `/invoices/in-review?${query}`);
  expect([status, data.errors.map((error: { path: string }) => error.path)]).toEqual([422, [path]]);
});

test("a cursor that was altered, or is another client's or the queue's, is 422 invalid_cursor", async () => {
  const [own, other] = [await service.world(), await service.world()];
  for (let count = 0; count < 2; count++) {
    await service.ingest(own.id, { amounts: wrong, number: newId() });
    await service.ingest(own.id, { amounts: odd });
  }
  const review = (await own.client.call('get', '/invoices/in-review?limit=1')).data.nextCursor;
  const queue = (await own.client.call('get', '/invoices?limit=1')).data.nextCursor;
  for (const [client, path] of [
    [own.client, `/invoices/in-review?cursor=${review}x`],
    [own.client, `/invoices/in-review?cursor=${queue}`],
    [own.client, `/invoices?cursor=${review}`],
    [other.client, `/invoices/in-review?cursor=${review}`],
  ] as const) {
    const { status, data } = await client.call('get', path);
    expect([path, status, data.code]).toEqual([path, 422, 'invalid_cursor']);
  }
});

test.each([
  ['a user without the permission', { permissions: ['tickets'] as never }, 403, 'forbidden'],
  ['a contractor company', { companyKind: 'contractor' as const }, 403, 'clients_only'],
  ['an API token', { via: 'token' as const }, 401, 'unauthorized'],
])('%s is refused', async (_who, given, status, code) => {
  const answer = await service.as(given).call('get', '/invoices/in-review');
  expect([answer.status, answer.data.code]).toEqual([status, code]);
});
