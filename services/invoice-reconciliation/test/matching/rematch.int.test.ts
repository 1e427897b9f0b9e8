import { contractorChanged, invoiceStateChanged, purchaseChanged, ticketChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { link, odd, read, useService } from '../reconciliation.ts';
import { aContractor, anOrder, aTicket, viewOf } from '../snapshots.ts';

const service = useService();

const raised = (invoice: { client_id: string; external_id: string }, ticketId: string) =>
  eventually(async () => {
    const now = await service.invoice(invoice);
    expect(now).toMatchObject({ state: 'feedback_pending', ticket_id: ticketId, matched_by: 'machine' });
    return now;
  });
/** Waits for the second match that every invoice of the queue gets. */
const settled = (invoice: { client_id: string; external_id: string }) =>
  service.becomes(invoice, { rematch_at: null, due_at: null });

test('an order that comes after its invoice has it matched', async () => {
  const { id, ticket } = await service.world();
  const reference = `BC-${newId()}`;
  const invoice = await service.ingest(id, { amounts: odd, references: { purchase_order: reference } });
  expect(invoice.state).toBe('ticket_unmatched');
  await settled(invoice);
  await service.publish(purchaseChanged, { purchase: anOrder(ticket, { reference, amount: 7 }) });
  const after = await raised(invoice, ticket.id);
  expect(after?.history.slice(-2)).toMatchObject([
    { from: 'ticket_unmatched', to: 'ticket_matched' },
    { from: 'ticket_matched', to: 'feedback_pending' },
  ]);
  await eventually(() =>
    expect(service.eventsOf(invoice._id, invoiceStateChanged)).toHaveLength(after?.history.length ?? 0),
  );
});

test('an order that comes before its ticket is known waits for it', async () => {
  const { id, contractor } = await service.world();
  const ticket = aTicket(contractor);
  const reference = `BC-${newId()}`;
  await service.publish(purchaseChanged, { purchase: anOrder(ticket, { reference, amount: 7 }) });
  const invoice = await service.ingest(id, { amounts: odd, references: { purchase_order: reference } });
  await settled(invoice);
  await service.publish(ticketChanged, { ticket });
  await raised(invoice, ticket.id);
});

test('an invoice of an unknown supplier on the account of another one stays in the queue when it is matched again', async () => {
  const { id } = await service.world();
  const iban = 'FR7630006000011234567890189';
  await service.ingest(id, { amounts: odd, supplier: { name: 'Connu', siren: '732829320', iban } });
  const invoice = await service.ingest(id, { amounts: odd, supplier: { name: 'Autre', siren: '552100554', iban } });
  expect(invoice).toMatchObject({ state: 'ticket_unmatched', supplier_id: null });
  await settled(invoice);
  expect(await service.invoice(invoice)).toMatchObject({ state: 'ticket_unmatched', ticket_id: null });
});

test('a contractor whose SIRET becomes known becomes the supplier of waiting invoices', async () => {
  const { id, contractor } = await service.world();
  const nameless = aContractor(id, { siret: null, siren: null });
  const ticket = aTicket(nameless);
  const order = anOrder(ticket, { amount: 7 });
  await service.publish(contractorChanged, { contractor: nameless });
  await service.publish(ticketChanged, { ticket });
  await service.publish(purchaseChanged, { purchase: order });
  const supplier = { name: 'Autre', siren: '552100554' };
  const invoice = await service.ingest(id, { amounts: odd, supplier });
  expect(invoice).toMatchObject({ state: 'ticket_unmatched', supplier_id: null });
  await settled(invoice);
  await service.publish(contractorChanged, {
    contractor: { ...nameless, version: 2, siren: '552100554', siret: '55210055400013' },
  });
  await service.becomes(invoice, { supplier_id: nameless.id });
  expect(contractor.id).not.toBe(nameless.id);
});

test('an invoice is never matched again with a ticket that an operator unlinked it from', async () => {
  const { id, client, ticket, order } = await service.world();
  const invoice = await service.ingest(id, { references: { purchase_order: order } });
  expect(invoice.ticket_id).toBe(ticket.id);
  await client.call('post', `/invoices/${invoice._id}/unlink`);
  await settled(invoice);
  await service.publish(ticketChanged, { ticket: { ...ticket, version: 2, title: 'changed' } });
  await service.publish(purchaseChanged, { purchase: anOrder(ticket) });
  await eventually(async () => {
    const projection = await service.ticketProjection(ticket.id);
    expect([projection?.version, projection?.purchases.length]).toEqual([2, 2]);
  });
  await settled(invoice);
  const resynced = await service.ingest(
    id,
    { number: invoice.canonical?.number, references: { purchase_order: order } },
    { external_id: invoice.external_id, resync: true },
  );
  expect(resynced).toMatchObject({ state: 'ticket_unmatched', ticket_id: null, refused_tickets: [ticket.id] });
  expect(resynced.suggestions.map(({ ticketId }) => ticketId)).not.toContain(ticket.id);
  // It can be linked to it by hand.
  const body = { ticketId: ticket.id, viewId: viewOf(ticket) };
  expect((await client.call('post', `/invoices/${invoice._id}/link`, body)).status).toBe(200);
});

test('a link that was undone is not made again by matching, and can be by a person', async () => {
  const own = await service.world();
  const { _id, ...key } = await service.ingest(own.id, { references: { purchase_order: own.order } });
  expect(key.ticket_id).toBe(own.ticket.id);
  await own.client.call('post', `/invoices/${_id}/unlink`, { keepCandidate: true });
  // Matched again at once, and after a change of the ticket.
  await eventually(async () => expect((await read(own, _id)).suggestions).toMatchObject([{ score: 100 }]));
  await service.publish(ticketChanged, { ticket: { ...own.ticket, version: 2, title: 'other' } });
  await eventually(async () => expect((await read(own, _id)).suggestions).toMatchObject([{ title: 'other' }]));
  expect(await read(own, _id)).toMatchObject({ state: 'ticket_unmatched', ticket: null });
  expect((await link(own, _id)).status).toBe(200);
});

test('an order of another client with the same reference changes nothing', async () => {
  const [own, neighbour] = [await service.world(), await service.world()];
  const reference = `BC-${newId()}`;
  const invoice = await service.ingest(own.id, { amounts: odd, references: { purchase_order: reference } });
  await settled(invoice);
  await service.publish(purchaseChanged, { purchase: anOrder(neighbour.ticket, { reference, amount: 7 }) });
  // Nor does an order of another company on this ticket.
  const intruder = anOrder(own.ticket, { reference, amount: 7, buyer_company_id: neighbour.id });
  const ours = anOrder(own.ticket);
  await service.publish(purchaseChanged, { purchase: intruder }, { purchase: ours });
  await eventually(async () => {
    const projection = await service.ticketProjection(own.ticket.id);
    expect(projection?.purchases.map((one: { id: string }) => one.id)).toContain(ours.id);
    expect(projection?.purchases.map((one: { id: string }) => one.id)).not.toContain(intruder.id);
  });
  await settled(invoice);
  expect(await service.invoice(invoice)).toMatchObject({ state: 'ticket_unmatched', ticket_id: null });
});

test('an unlinked invoice is not matched automatically if it is doubtful by now', async () => {
  const { id, client, ticket, contractor } = await service.world();
  const other = aTicket(contractor);
  await service.publish(ticketChanged, { ticket: other });
  const reference = `BC-${newId()}`;
  const body = { ticketId: ticket.id, viewId: viewOf(ticket) };
  for (const [change, reason] of [
    [{ status: 'refused' }, 'provider_status'],
    [{ amounts: { ht: '7.00', tva: '1.40', ttc: '9.90' } }, 'amounts_inconsistent'],
  ] as const) {
    const payload = { number: newId(), amounts: odd, references: { purchase_order: reference } };
    const invoice = await service.ingest(id, payload);
    expect((await client.call('post', `/invoices/${invoice._id}/link`, body)).status).toBe(200);
    await service.ingest(id, { ...payload, ...change }, { external_id: invoice.external_id });
    expect((await client.call('post', `/invoices/${invoice._id}/unlink`)).status).toBe(200);
    const inReview = { state: 'manual_review', reasons: [reason], ticket_id: null };
    await service.becomes(invoice, inReview);
    if (reason !== 'provider_status') continue;
    // Even if an operator overrides the reason, it is linked by hand only.
    await service.publish(purchaseChanged, { purchase: anOrder(other, { reference, amount: 7 }) });
    await client.call('post', `/invoices/${invoice._id}/clear-review`);
    await eventually(async () => {
      const { suggestions = [], state, flags } = (await service.invoice(invoice)) ?? {};
      expect([state, suggestions[0]?.ticketId]).toEqual(['ticket_unmatched', other.id]);
      expect(flags).toContain('provider_status');
    });
    await settled(invoice);
    expect(await service.invoice(invoice)).toMatchObject({ state: 'ticket_unmatched', ticket_id: null });
  }
});
