import { invoiceFeedbackRequested, ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type Client, type Service, useService, type World } from '../reconciliation.ts';
import { viewOf } from '../snapshots.ts';

const near = { ht: '97.00', tva: '19.40', ttc: '116.40' };
const wrong = { ht: '100.00', tva: '1.00', ttc: '120.00' };

let service: Service;
useService({ settings: { pushRetryForMs: 0 } }, (one) => {
  service = one;
});

const read = async (client: Client, id: string) => (await client.call('get', `/invoices/${id}`)).data;
const to = ({ ticket }: World) => ({ ticketId: ticket.id, viewId: viewOf(ticket) });
const undo = ({ client }: World, id: string) => client.call('post', `/invoices/${id}/unlink`, { keepCandidate: true });
const link = (own: World, id: string) => own.client.call('post', `/invoices/${id}/link`, to(own));

test('an undone link leaves the invoice as it was: in the queue, with its suggestions, and the ticket not refused', async () => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { amounts: near });
  const before = await read(own.client, _id);
  expect(before.suggestions).toMatchObject([{ ticketId: own.ticket.id }]);
  await link(own, _id);
  for (let twice = 0; twice < 2; twice++) expect((await undo(own, _id)).data).toEqual({ ok: true });
  expect(service.fakes.lines.at(-1)).toMatchObject({
    path: `/internal/tickets/${own.ticket.id}/invoice-lines/${_id}`,
    line: { version: 2, line: null },
  });
  const after = await read(own.client, _id);
  for (const field of ['state', 'ticket', 'suggestions', 'flags', 'supplierId'])
    expect([field, after[field]]).toEqual([field, before[field]]);
  const { userId } = own.client.caller;
  expect(after.history.at(-1)).toMatchObject({
    ...{ to: 'ticket_unmatched', reasonCodes: [{ code: 'link_undone', values: {} }] },
    by: { id: userId },
  });
});

test('the machine does not link it to that ticket again by itself, and a person can', async () => {
  const own = await service.world();
  const { _id, ...key } = await service.ingest(own.id, { references: { purchase_order: own.order } });
  expect(key.ticket_id).toBe(own.ticket.id);
  await undo(own, _id);
  // Matched again at once, and after a change of the ticket.
  await eventually(async () => expect((await read(own.client, _id)).suggestions).toMatchObject([{ score: 100 }]));
  await service.publish(ticketChanged, { ticket: { ...own.ticket, version: 2, title: 'other' } });
  await eventually(async () => expect((await read(own.client, _id)).suggestions).toMatchObject([{ title: 'other' }]));
  expect(await read(own.client, _id)).toMatchObject({ state: 'ticket_unmatched', ticket: null });
  expect((await link(own, _id)).status).toBe(200);
});

test('a link that overrode reasons for review takes the invoice back into review, once', async () => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { amounts: wrong });
  await link(own, _id);
  expect(await read(own.client, _id)).toMatchObject({ state: 'feedback_pending', reasons: [] });
  const answers = await Promise.all([undo(own, _id), undo(own, _id), undo(own, _id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const after = await read(own.client, _id);
  expect(after).toMatchObject({ state: 'manual_review', ticket: null, reasons: ['amounts_inconsistent'] });
  expect(after.history.filter(({ to: state }: { to: string }) => state === 'manual_review')).toHaveLength(2);
  // The reason is not overridden any more: clearing it is a decision of its own.
  expect((await own.client.call('post', `/invoices/${_id}/unlink`)).status).toBe(409);
  expect((await own.client.call('post', `/invoices/${_id}/clear-review`)).status).toBe(200);
});

test('without keepCandidate the ticket is refused, as before', async () => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { amounts: near });
  await link(own, _id);
  expect((await own.client.call('post', `/invoices/${_id}/unlink`, {})).status).toBe(200);
  await eventually(async () => {
    expect(await read(own.client, _id)).toMatchObject({ reasonCodes: [{ code: 'no_ticket' }], suggestions: [] });
  });
  await eventually(() => expect(service.eventsOf(_id, invoiceFeedbackRequested)).toHaveLength(1));
});

test.each([[{ keepCandidate: 'yes' }], [{ keep: true }]])('unlink with %j is 422', async (body) => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { amounts: near });
  await link(own, _id);
  expect((await own.client.call('post', `/invoices/${_id}/unlink`, body)).status).toBe(422);
  expect((await read(own.client, _id)).ticket).toBe(own.ticket.id);
});

test("another company's link cannot be undone", async () => {
  const [own, neighbour] = [await service.world(), await service.world()];
  const { _id } = await service.ingest(own.id, { amounts: near, number: `FA-${newId()}` });
  await link(own, _id);
  const { status, data } = await undo(neighbour, _id);
  expect([status, data.code]).toEqual([404, 'invoice_not_found']);
});
