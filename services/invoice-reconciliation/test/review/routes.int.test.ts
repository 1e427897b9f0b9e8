import { invoiceGone, ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { odd, quiet, read, toView, useService, useWorld, wrong } from '../reconciliation.ts';

const service = useService(quiet);
const world = useWorld(service);
afterEach(() => service.fakes.say({ resync: 202 }));

const queued = () => service.ingest(world.id, { amounts: odd });

test('bad ids are 422, in the path and in the body, each named', async () => {
  const paths = (data: { errors: { path: string }[] }) => data.errors.map(({ path }) => path);
  const body = toView(world);
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
    ['post', `/invoices/${_id}/link`, { ...body, reason: ' ' }, ['reason']],
    ['post', `/invoices/${_id}/unlink`, { keepCandidate: 'yes' }, ['keepCandidate']],
    ['post', `/invoices/${_id}/unlink`, { keep: true }, ['keep']],
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
    [`/invoices/${newId()}/link`, toView(world), 'invoice_not_found'],
    // As on every route, what the path names is looked for before the body is checked.
    [`/invoices/${newId()}/link`, { ticketId: 'x', viewId: 'x' }, 'invoice_not_found'],
    [`/invoices/${newId()}/unlink`, undefined, 'invoice_not_found'],
    [`/invoices/${_id}/link`, { ...toView(world), ticketId: newId() }, 'ticket_not_found'],
    [`/invoices/${_id}/link`, { ...toView(world), viewId: newId() }, 'view_not_found'],
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
    ['post', `/invoices/${own._id}/link`, toView(neighbour)],
    ['post', `/invoices/${own._id}/unlink`, undefined],
    ['post', `/invoices/${own._id}/unlink`, { keepCandidate: true }],
    ['post', `/invoices/${own._id}/clear-review`, undefined],
  ] as const) {
    const { status, data } = await neighbour.client.call(method, path, body);
    expect([path, status, data.code]).toEqual([path, 404, 'invoice_not_found']);
  }
  const foreign = await world.client.call('post', `/invoices/${own._id}/link`, toView(neighbour));
  expect([foreign.status, foreign.data.code]).toEqual([404, 'ticket_not_found']);
  const items = (await neighbour.client.call('get', '/invoices')).data.items;
  expect(items).toEqual([]);
});

test('409 for an invoice that was never read, or that has nothing to unlink or to clear', async () => {
  const broken = await service.ingest(world.id, { number: null });
  const review = await service.ingest(world.id, { amounts: wrong });
  expect(review.state).toBe('manual_review');
  for (const [path, body] of [
    [`/invoices/${broken._id}/link`, toView(world)],
    [`/invoices/${broken._id}/unlink`, undefined],
    [`/invoices/${broken._id}/clear-review`, undefined],
    [`/invoices/${review._id}/unlink`, undefined],
  ] as const) {
    const { status, data } = await world.client.call('post', path, body);
    expect([path, status, data.code]).toEqual([path, 409, 'invoice_state_forbidden']);
  }
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
    expect(await read(own, invoice._id)).toMatchObject({
      state: 'manual_review',
      reasons: ['ticket_gone'],
      ticket: own.ticket.id,
    });
  });
  expect((await own.client.call('post', `/invoices/${invoice._id}/unlink`)).status).toBe(200);
});

test.each([
  ['linked', 'link', () => ({ ticketId: world.ticket.id, viewId: world.ticket.views[1]?.id })],
  ['cleared', 'clear-review', () => undefined],
])('an invoice that the provider deleted before it was read cannot be %s: 409', async (_what, path, body) => {
  const { id, client } = world;
  const broken = await service.ingest(id, { number: null });
  const at = new Date().toISOString();
  const deletion = { client_id: id, provider: 'sandbox', at, sequence: Date.parse(at) + 1 };
  await service.publish(invoiceGone, { ...deletion, external_id: broken.external_id });
  await service.becomes(broken, { state: 'manual_review' });
  const { status, data } = await client.call('post', `/invoices/${broken._id}/${path}`, body());
  expect([status, data.code, data.from]).toEqual([409, 'invoice_state_forbidden', 'manual_review']);
  expect(await service.invoice(broken)).toMatchObject({ state: 'manual_review', ticket_id: null, line_version: 0 });
});
