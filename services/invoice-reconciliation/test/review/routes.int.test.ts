import { ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type Client, type Service, useService, type World } from '../reconciliation.ts';
import { viewOf } from '../snapshots.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };

let service: Service;
let world: World;
// No rematches during these tests, and failed pushes are not retried.
useService({ settings: { rematchDelayMs: 600_000, pushRetryForMs: 0 } }, async (one) => {
  service = one;
  world = await service.world();
});
afterEach(() => service.fakes.say({ line: 204, resync: 202 }));

const queued = async (given: object = {}) => service.ingest(world.id, { amounts: odd, ...given });
const to = ({ ticket }: World) => ({ ticketId: ticket.id, viewId: viewOf(ticket) });
const read = async (client: Client, id: string) => (await client.call('get', `/invoices/${id}`)).data;

test('the queue shows an invoice with suggestions and their reasons', async () => {
  const own = await service.world();
  const invoice = await service.ingest(own.id, {
    number: 'FA-77',
    amounts: { ht: '97.00', tva: '19.40', ttc: '116.40' },
    references: { buyer_reference: 'X' },
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
      supplier: { externalId: null, name: 'Froid Service', siret: '73282932000074', siren: '732829320', iban: null },
      supplierId: own.contractor.id,
      ticket: null,
      number: 'FA-77',
      issueDate: '2026-11-12',
      currency: 'EUR',
      amounts: { ht: 97, tva: 19.4, ttc: 116.4 },
      vatBreakdown: [{ rate: 0.2, base: 100, amount: 20 }],
      providerStatus: 'received',
      matchHints: { poRef: null, ticketRef: null, orderRef: null },
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

test('pages follow each other in order, each invoice once', async () => {
  const own = await service.world();
  for (let count = 0; count < 5; count++) await service.ingest(own.id, { amounts: odd });
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let pages = 0; cursor !== null && pages < 9; pages++) {
    const query: string = cursor ? `&cursor=${cursor}` : '';
    const { data } = await own.client.call('get', `/invoices?limit=2${query}`);
    seen.push(...data.items.map(({ createdAt, id }: { createdAt: string; id: string }) => `${createdAt} ${id}`));
    cursor = data.nextCursor;
  }
  expect(seen).toHaveLength(5);
  expect(seen).toEqual([...seen].sort());
});

test.each([
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=x', 'limit'],
  ['state=linked', 'state'],
])('GET /invoices?%s is 422 naming %s', async (query, path) => {
  const { status, data } = await world.client.call('get', `/invoices?${query}`);
  expect([status, data.errors.map((error: { path: string }) => error.path)]).toEqual([422, [path]]);
});

test("a cursor that was altered, or is another client's, is 422 invalid_cursor", async () => {
  const own = await service.world();
  for (let count = 0; count < 2; count++) await service.ingest(own.id, { amounts: odd });
  const { nextCursor } = (await own.client.call('get', '/invoices?limit=1')).data;
  for (const [client, cursor] of [
    [own.client, `${nextCursor}x`],
    [world.client, nextCursor],
  ]) {
    const { status, data } = await client.call('get', `/invoices?cursor=${cursor}`);
    expect([status, data.code]).toEqual([422, 'invalid_cursor']);
  }
});

test('bad ids are 422, in the path and in the body, each named', async () => {
  const paths = (data: { errors: { path: string }[] }) => data.errors.map(({ path }) => path);
  const body = to(world);
  const { _id } = await queued();
  for (const [method, path, sent, named] of [
    ['get', '/invoices/x', undefined, ['id']],
    ['get', '/invoices/x/document', undefined, ['id']],
    ['post', '/invoices/x/link', body, ['id']],
    ['post', '/invoices/x/unlink', undefined, ['id']],
    ['post', '/invoices/x/clear-review', undefined, ['id']],
    ['post', `/invoices/${_id}/link`, {}, ['ticketId', 'viewId']],
    ['post', `/invoices/${_id}/link`, { ...body, ticketId: 'x' }, ['ticketId']],
    ['post', `/invoices/${_id}/link`, { ...body, viewId: 5 }, ['viewId']],
    ['post', `/invoices/${_id}/link`, { ...body, more: 1 }, ['more']],
    ['post', '/invoices/resync', {}, ['provider', 'externalId']],
  ] as const) {
    const { status, data } = await world.client.call(method, path, sent);
    expect([path, status, paths(data)]).toEqual([path, 422, named]);
  }
});

test('unknown invoices, tickets and views are 404', async () => {
  const { _id } = await queued();
  // The ticket service is asked for a view that the projection lacks.
  service.fakes.tickets.set(world.ticket.id, world.ticket);
  for (const [path, body, code] of [
    [`/invoices/${newId()}/link`, to(world), 'invoice_not_found'],
    [`/invoices/${newId()}/unlink`, undefined, 'invoice_not_found'],
    [`/invoices/${_id}/link`, { ...to(world), ticketId: newId() }, 'ticket_not_found'],
    [`/invoices/${_id}/link`, { ...to(world), viewId: newId() }, 'view_not_found'],
  ] as const) {
    const { status, data } = await world.client.call('post', path, body);
    expect([path, status, data.code]).toEqual([path, 404, code]);
  }
});

test("another company's invoice, ticket and view do not exist", async () => {
  const neighbour = await service.world();
  const own = await queued();
  for (const [method, path, body] of [
    ['get', `/invoices/${own._id}`, undefined],
    ['get', `/invoices/${own._id}/document`, undefined],
    ['post', `/invoices/${own._id}/link`, to(neighbour)],
    ['post', `/invoices/${own._id}/unlink`, undefined],
    ['post', `/invoices/${own._id}/clear-review`, undefined],
  ] as const) {
    const { status, data } = await neighbour.client.call(method, path, body);
    expect([path, status, data.code]).toEqual([path, 404, 'invoice_not_found']);
  }
  const foreign = await world.client.call('post', `/invoices/${own._id}/link`, to(neighbour));
  expect([foreign.status, foreign.data.code]).toEqual([404, 'ticket_not_found']);
  const items = (await neighbour.client.call('get', '/invoices')).data.items;
  expect(items).toEqual([]);
});

test.each([
  ['a user without the permission', { permissions: ['tickets'] as never }, 403, 'forbidden'],
  ['a contractor company', { companyKind: 'contractor' as const }, 403, 'clients_only'],
  ['an API token', { via: 'token' as const }, 401, 'unauthorized'],
])('%s is refused', async (_who, given, status, code) => {
  const answer = await service.as(given).call('get', '/invoices');
  expect([answer.status, answer.data.code]).toEqual([status, code]);
});

test('409 for an invoice that was never read, or that has nothing to unlink or to clear', async () => {
  const broken = await service.ingest(world.id, { number: null });
  const review = await service.ingest(world.id, { amounts: { ht: '1.00', tva: '1.00', ttc: '9.00' } });
  expect(review.state).toBe('manual_review');
  for (const [path, body] of [
    [`/invoices/${broken._id}/link`, to(world)],
    [`/invoices/${broken._id}/unlink`, undefined],
    [`/invoices/${broken._id}/clear-review`, undefined],
    [`/invoices/${review._id}/unlink`, undefined],
  ] as const) {
    const { status, data } = await world.client.call('post', path, body);
    expect([path, status, data.code]).toEqual([path, 409, 'invoice_state_forbidden']);
  }
});

test('a review that is cleared puts the invoice into the queue, twice as well as once', async () => {
  const review = await service.ingest(world.id, { amounts: { ht: '1.00', tva: '1.00', ttc: '9.00' } });
  expect(await read(world.client, review._id)).toMatchObject({
    state: 'manual_review',
    reasons: ['amounts_inconsistent'],
  });
  for (let twice = 0; twice < 2; twice++) {
    expect((await world.client.call('post', `/invoices/${review._id}/clear-review`)).data).toEqual({ ok: true });
  }
  expect(await read(world.client, review._id)).toMatchObject({ state: 'ticket_unmatched', reasons: [] });
});

test.each([
  [202, 202, undefined],
  [400, 400, 'unknown_provider'],
  [404, 404, 'connection_not_found'],
  [503, 502, 'service_unavailable'],
])('a resync to which the connection service answers %i is %i', async (resync, status, code) => {
  service.fakes.say({ resync });
  const wanted = { provider: 'sandbox', externalId: 'inv-1' };
  const answer = await world.client.call('post', '/invoices/resync', wanted);
  expect([answer.status, answer.data.code]).toEqual([status, code]);
  if (status === 202) expect(answer.data).toEqual({ ok: true });
  expect(service.fakes.resyncs.at(-1)).toEqual(wanted);
});

test('the document is served by a signed link; without document 404', async () => {
  const document = await service.stored(Buffer.from('%PDF-1.4'), 'application/pdf');
  const withDocument = await service.ingest(world.id, { number: 'F/1' }, { document });
  const { status, data } = await world.client.call('get', `/invoices/${withDocument._id}/document`);
  expect([status, data.download_url]).toEqual([200, expect.stringMatching(/^http:\/\/download\.test\/files\//)]);
  const { _id } = await queued();
  const none = await world.client.call('get', `/invoices/${_id}/document`);
  expect([none.status, none.data.code]).toEqual([404, 'document_not_found']);
});

test('a ticket that is removed or canceled sends its invoices to review, and keeps them until an operator acts', async () => {
  const own = await service.world();
  const invoice = await service.ingest(own.id, { references: { purchase_order: own.order } });
  await service.publish(ticketChanged, { ticket: { ...own.ticket, version: 2, status: 'canceled' } });
  await eventually(async () => {
    expect(await read(own.client, invoice._id)).toMatchObject({
      state: 'manual_review',
      reasons: ['ticket_gone'],
      ticket: own.ticket.id,
    });
  });
  expect((await own.client.call('post', `/invoices/${invoice._id}/unlink`)).status).toBe(200);
});
