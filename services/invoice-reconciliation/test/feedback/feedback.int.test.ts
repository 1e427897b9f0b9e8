import { type FeedbackSettled, invoiceFeedbackRequested, invoiceFeedbackSettled } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture, eventually } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { quiet, useService } from '../reconciliation.ts';
import { viewOf } from '../snapshots.ts';

const service = useService(quiet);

const answer = (invoice: Invoice, given: Partial<FeedbackSettled> = {}): FeedbackSettled => ({
  ...eventFixture(invoiceFeedbackSettled).data,
  invoice_id: invoice._id,
  client_id: invoice.client_id,
  ...given,
});
test('feedback is requested once, and its acceptance, delivered twice, completes the invoice', async () => {
  const { id, order } = await service.world();
  const invoice = await service.ingest(id, { references: { purchase_order: order } });
  await service.publish(invoiceFeedbackSettled, answer(invoice), answer(invoice));
  await service.becomes(invoice, { state: 'done', feedback: { version: 1, result: 'sent' } });
  const after = await service.invoice(invoice);
  expect(after?.history.slice(-2).map(({ to }) => to)).toEqual(['feedback_sent', 'done']);
  await eventually(() => expect(service.eventsOf(invoice._id, invoiceFeedbackRequested)).toHaveLength(1));
});

test('without feedback an automatic match is done, a link by hand stays linked', async () => {
  const { id, client, ticket, order } = await service.world();
  const invoice = await service.ingest(id, { references: { purchase_order: order } }, { provider: 'mute' });
  expect(invoice.state).toBe('done');
  await client.call('post', `/invoices/${invoice._id}/unlink`);
  await client.call('post', `/invoices/${invoice._id}/link`, { ticketId: ticket.id, viewId: viewOf(ticket) });
  await service.becomes(invoice, { state: 'linked', link_version: 0 });
  expect(service.eventsOf(invoice._id, invoiceFeedbackRequested)).toEqual([]);
});

test.each([
  ['the same content', {}],
  ['content that differs in nothing of weight', { due_date: '2026-12-31' }],
])(
  'refused feedback is an error and the link stays; a resync that brings %s requests it again with a new link_version',
  async (_what, change) => {
    const { id, order, ticket } = await service.world();
    const payload = { number: `FA-${newId()}`, references: { purchase_order: order } };
    const invoice = await service.ingest(id, payload);
    await service.publish(invoiceFeedbackSettled, answer(invoice, { result: 'failed', reason: 'no such flow' }));
    await service.becomes(invoice, { state: 'error', ticket_id: ticket.id, failure: { step: 'feedback' } });
    await service.ingest(id, { ...payload, ...change }, { external_id: invoice.external_id, resync: true });
    await service.becomes(invoice, { state: 'feedback_pending', link_version: 2, ticket_id: ticket.id });
    await eventually(() => expect(service.eventsOf(invoice._id, invoiceFeedbackRequested)).toHaveLength(2));
    // The result of the first request changes nothing any more.
    await service.publish(invoiceFeedbackSettled, answer(invoice), answer(invoice, { link_version: 2 }));
    await service.becomes(invoice, { state: 'done', feedback: { version: 2, result: 'sent' } });
  },
);

test('an unlink after accepted feedback requests a reversal, once, and again by a resync if it was not taken', async () => {
  const { id, client, order, ticket } = await service.world();
  const payload = { number: `FA-${newId()}`, references: { purchase_order: order } };
  const invoice = await service.ingest(id, payload);
  const resync = () => service.ingest(id, payload, { external_id: invoice.external_id, resync: true });
  const told = () => service.eventsOf(invoice._id, invoiceFeedbackRequested).slice(1);
  await service.publish(invoiceFeedbackSettled, answer(invoice));
  await service.becomes(invoice, { state: 'done' });
  await Promise.all([1, 2, 3].map(() => client.call('post', `/invoices/${invoice._id}/unlink`)));
  const reversal = { outcome: 'reversed', ticket: { id: ticket.id, number: ticket.number } };
  await eventually(() => expect(told()).toMatchObject([{ data: { ...reversal, link_version: 2 } }]));
  await service.publish(
    invoiceFeedbackSettled,
    answer(invoice, { outcome: 'reversed', link_version: 2, result: 'failed' }),
  );
  await service.becomes(invoice, { state: 'ticket_unmatched', flags: expect.arrayContaining(['reversal_failed']) });
  await resync();
  await eventually(() => expect(told().slice(1)).toMatchObject([{ data: { ...reversal, link_version: 3 } }]));
  await service.publish(invoiceFeedbackSettled, answer(invoice, { outcome: 'reversed', link_version: 3 }));
  await service.becomes(invoice, { state: 'ticket_unmatched', feedback: { version: 3, result: 'sent' } });
  expect((await service.invoice(invoice))?.flags).not.toContain('reversal_failed');
  await resync();
  expect(told()).toHaveLength(2);
});

test('feedback on an unknown invoice is ignored', async () => {
  const { id, order } = await service.world();
  const invoice = await service.ingest(id, { references: { purchase_order: order } });
  await service.publish(invoiceFeedbackSettled, answer(invoice, { invoice_id: newId() }), answer(invoice));
  await service.becomes(invoice, { state: 'done' });
  expect(service.logged()).not.toContain('message dead-lettered');
});
