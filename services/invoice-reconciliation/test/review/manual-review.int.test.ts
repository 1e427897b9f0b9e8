import { contractorChanged, invoiceFetched } from '@app/contracts';
import { eventually } from '@app/testing';
import { odd, quiet, useService } from '../reconciliation.ts';
import { aContractor, viewOf } from '../snapshots.ts';

const iban = 'FR7630006000011234567890189';
const otherIban = 'DE89370400440532013000';
const supplier = { name: 'Froid Service', siren: '732829320', siret: '73282932000074' };

const service = useService(quiet);

test('the same invoice under another id of the provider waits for review; an acknowledged one does not come back', async () => {
  const { id, client, order } = await service.world();
  const payload = { number: 'FA-1', references: { purchase_order: order } };
  const first = await service.ingest(id, payload);
  const second = await service.ingest(id, { ...payload, number: 'fa 0001' });
  expect([first.state, second.state, second.reasons]).toEqual([
    'feedback_pending',
    'manual_review',
    ['duplicate_suspected'],
  ]);
  await client.call('post', `/invoices/${second._id}/clear-review`);
  const again = await service.ingest(
    id,
    { ...payload, number: 'fa 0001' },
    { external_id: second.external_id, resync: true },
  );
  expect(again).not.toMatchObject({ state: 'manual_review' });
  // Nor after other content, unless amounts, supplier or IBAN change.
  const given = { external_id: second.external_id };
  const ingested = await service.ingest(id, { ...payload, number: 'fa 0001', status: 'taken_in_charge' }, given);
  expect(ingested).not.toMatchObject({ state: 'manual_review' });
});

test('an invoice number is the same however its separators are written, and another one if its segments differ', async () => {
  const { id, order, ticket } = await service.world();
  const isHeld = async (number: string, amounts: object) =>
    (await service.ingest(id, { number, amounts })).reasons.includes('duplicate_suspected');
  expect(await isHeld('2026-01-11', odd)).toBe(false);
  expect(await isHeld('2026-11-01', odd)).toBe(false);
  await service.ingest(id, { number: 'FA-2026-00311', references: { purchase_order: order } });
  expect(await isHeld('FA202600311', { ht: '100.00', tva: '20.00', ttc: '120.00' })).toBe(true);
  const credit = { kind: 'credit_note', amounts: { ht: '-1.00', tva: '-0.20', ttc: '-1.20' }, vat_breakdown: [] };
  const named = await service.ingest(id, { ...credit, references: { preceding_invoice: 'FA202600311' } });
  expect(named).toMatchObject({ ticket_id: ticket.id, matched_by: 'machine' });
});

test('of twelve deliveries of one invoice under twelve ids at once, one is linked and eleven wait for review', async () => {
  const { id, order } = await service.world();
  const payload = { number: 'FA-2', references: { purchase_order: order } };
  const events = await Promise.all(Array.from({ length: 12 }, () => service.payload(id, payload)));
  await service.publish(invoiceFetched, ...events);
  await eventually(async () => {
    const invoices = await Promise.all(events.map((event) => service.invoice(event)));
    const states = invoices.map((invoice) => invoice?.state);
    expect(states.filter((state) => state === 'manual_review')).toHaveLength(11);
    expect(states.filter((state) => state === 'feedback_pending')).toHaveLength(1);
  });
});

test('all invoices of a supplier that uses one number for all are taken in, also concurrently', async () => {
  const { id } = await service.world();
  const amounts = (cents: number) => ({ ht: `${cents}.00`, tva: '0.00', ttc: `${cents}.00` });
  const numbered = (cents: number) =>
    service.payload(id, { number: 'N/A', amounts: amounts(cents), vat_breakdown: [] });
  const many = await Promise.all(Array.from({ length: 20 }, (_, index) => numbered(1_000 + index)));
  await service.publish(invoiceFetched, ...many);
  const count = (filter: object) =>
    service.connection.collection('invoices').countDocuments({ client_id: id, ...filter });
  await eventually(async () => expect(await count({})).toBe(20));
  // Each of them once more: the holder of its number and total is one of twenty.
  await service.publish(invoiceFetched, ...(await Promise.all(many.map((_, index) => numbered(1_000 + index)))));
  await eventually(async () => expect(await count({})).toBe(40));
  expect(await count({ reasons: 'duplicate_suspected' })).toBe(20);
});

test('an invoice that becomes unreadable releases its number', async () => {
  const { id } = await service.world();
  const first = await service.ingest(id, { number: 'R-1', amounts: odd });
  expect(await service.ingest(id, { number: null }, { external_id: first.external_id })).toMatchObject({
    state: 'error',
    claims: [],
  });
  expect(await service.ingest(id, { number: 'R-1', amounts: odd })).toMatchObject({ state: 'ticket_unmatched' });
});

test('a linked invoice whose number changes is found by the new one, and releases the old one', async () => {
  const { id, order } = await service.world();
  const payload = { number: 'OLD-1', references: { purchase_order: order } };
  const first = await service.ingest(id, payload);
  const renamed = await service.ingest(id, { ...payload, number: 'NEW-1' }, { external_id: first.external_id });
  expect(renamed.state).toBe('feedback_pending');
  const copy = await service.ingest(id, { number: 'NEW-1' });
  expect(copy).toMatchObject({ state: 'manual_review', reasons: ['duplicate_suspected'] });
  expect(await service.ingest(id, { number: 'OLD-1' })).toMatchObject({
    reasons: expect.not.arrayContaining(['duplicate_suspected']),
  });
});

test('the same document under two numbers waits for review; the same number with another total is a flag', async () => {
  const { id } = await service.world();
  const document = await service.stored(Buffer.from('%PDF-1.4 same'), 'application/pdf');
  await service.ingest(id, { number: 'A', amounts: odd }, { document });
  const second = await service.ingest(id, { number: 'B', amounts: odd }, { document });
  expect(second).toMatchObject({ state: 'manual_review', reasons: ['duplicate_suspected'] });
  const third = await service.ingest(id, { number: 'A', amounts: { ht: '8.00', tva: '1.60', ttc: '9.60' } });
  expect(third).toMatchObject({ state: 'ticket_unmatched', flags: expect.arrayContaining(['same_number']) });
});

/** The document of an invoice that came through an approved platform. */
const platformDocument = (process = 'S1') =>
  service.stored(
    Buffer.from(`<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ProfileID>${process}</ProfileID><ID>U-1</ID>
      <IssueDate>2026-11-16</IssueDate><DocumentCurrencyCode>EUR</DocumentCurrencyCode><LegalMonetaryTotal>
      <TaxExclusiveAmount>7.00</TaxExclusiveAmount><TaxInclusiveAmount>8.40</TaxInclusiveAmount></LegalMonetaryTotal></Invoice>`),
    'application/xml',
  );

test('an invoice of several suppliers waits for review, until a person has looked', async () => {
  const { id, client } = await service.world();
  const raw = await service.stored(Buffer.from(JSON.stringify({ flowSyntax: 'UBL' })));
  const invoice = await service.ingest(id, {}, { provider: 'afnor', document: await platformDocument('M8'), raw });
  expect(invoice).toMatchObject({ state: 'manual_review', reasons: ['several_parties'] });
  await client.call('post', `/invoices/${invoice._id}/clear-review`);
  await service.becomes(invoice, { state: 'ticket_unmatched', acknowledged: ['several_parties'] });
});

test('an invoice that its approved platform rejected afterwards waits for review', async () => {
  const { id } = await service.world();
  const document = await platformDocument();
  const flow = async (status: string) => {
    const raw = { flowId: 'flow-1', flowSyntax: 'UBL', acknowledgement: { status } };
    return {
      provider: 'afnor',
      external_id: 'flow-1',
      document,
      raw: await service.stored(Buffer.from(JSON.stringify(raw))),
    };
  };
  expect(await service.ingest(id, {}, await flow('Pending'))).toMatchObject({ state: 'ticket_unmatched' });
  expect(await service.ingest(id, {}, await flow('Error'))).toMatchObject({
    state: 'manual_review',
    reasons: ['provider_status'],
  });
});

test('an invoice whose document differs from the fetched one waits for review', async () => {
  const { id } = await service.world();
  const document = await service.stored(Buffer.from('%PDF-1.4'), 'application/pdf');
  const invoice = await service.ingest(id, {}, { document: { ...document, hash: 'b'.repeat(64) } });
  expect(invoice).toMatchObject({ state: 'manual_review', reasons: ['document_hash_mismatch'] });
});

test('an unknown IBAN of a contractor that is known by another one waits for review, until an operator links it', async () => {
  const { id, client, ticket, order } = await service.world();
  const first = await service.ingest(id, { supplier: { ...supplier, iban }, references: { purchase_order: order } });
  // The first IBAN is accepted, and known from then on.
  expect(first).toMatchObject({ state: 'feedback_pending', matched_by: 'machine' });
  const foreign = await service.ingest(id, { supplier: { ...supplier, iban: otherIban }, amounts: odd });
  expect(foreign).toMatchObject({ state: 'manual_review', reasons: ['iban_changed'], supplier_id: first.supplier_id });
  await client.call('post', `/invoices/${foreign._id}/link`, { ticketId: ticket.id, viewId: viewOf(ticket) });
  const later = await service.ingest(id, { supplier: { ...supplier, iban: otherIban }, amounts: odd });
  expect(later.state).toBe('ticket_unmatched');
});

test('a first account that is also on invoices of another supplier waits for review', async () => {
  const { id, order } = await service.world();
  await service.ingest(id, { supplier: { name: 'Autre SARL', siren: '552100554', iban } });
  const invoice = await service.ingest(id, { supplier: { ...supplier, iban }, references: { purchase_order: order } });
  expect(invoice).toMatchObject({ state: 'manual_review', reasons: ['iban_changed'], ticket_id: null });
  const neighbour = await service.world();
  const references = { purchase_order: neighbour.order };
  const own = await service.ingest(neighbour.id, { supplier: { ...supplier, iban }, references });
  expect(own).toMatchObject({ ticket_id: neighbour.ticket.id, matched_by: 'machine' });
});

test('every account of an invoice must be known, in any order', async () => {
  const { id, client, ticket } = await service.world();
  const paidTo = (accounts: string) => service.ingest(id, { supplier: { ...supplier, iban: accounts }, amounts: odd });
  const linked = async (accounts: string) => {
    const { _id } = await paidTo(accounts);
    await client.call('post', `/invoices/${_id}/link`, { ticketId: ticket.id, viewId: viewOf(ticket) });
  };
  await linked(iban);
  expect(await paidTo(`IBAN ${iban}, BIC AGRIFRPP882`)).toMatchObject({ state: 'ticket_unmatched' });
  expect(await paidTo(`${iban} ${otherIban}`)).toMatchObject({ state: 'manual_review', reasons: ['iban_changed'] });
  expect(await paidTo(iban.replace('0189', '0188'))).toMatchObject({ state: 'manual_review', flags: ['iban_invalid'] });
  await linked(`${iban} ${otherIban}`);
  expect(await paidTo(`${otherIban} ${iban}`)).toMatchObject({ state: 'ticket_unmatched' });
});

test('a credit note goes to the ticket of the invoice that it names, or waits', async () => {
  const { id, order, ticket } = await service.world();
  await service.ingest(id, { number: 'FA-9', references: { purchase_order: order } });
  const credit = { kind: 'credit_note', amounts: { ht: '-10.00', tva: '-2.00', ttc: '-12.00' }, vat_breakdown: [] };
  const named = await service.ingest(id, { ...credit, references: { preceding_invoice: 'FA-0009' } });
  expect(named).toMatchObject({ ticket_id: ticket.id, matched_by: 'machine' });
  const unnamed = await service.ingest(id, credit);
  expect(unnamed).toMatchObject({
    state: 'ticket_unmatched',
    ticket_id: null,
    flags: expect.arrayContaining(['credit_note']),
  });
});

test('several contractors of one SIREN: the ticket decides, else it waits with all of them', async () => {
  const { id, contractor, order, ticket } = await service.world();
  const twin = aContractor(id, { siret: '73282932000199' });
  const former = { ...contractor, version: 2, siret: null };
  await service.settle(contractorChanged, { contractor: former }, { contractor: twin });
  const bare = { name: 'Froid Service', siren: '732829320' };
  const open = await service.ingest(id, { supplier: bare, amounts: odd });
  expect(open).toMatchObject({
    state: 'ticket_unmatched',
    supplier_id: null,
    flags: expect.arrayContaining(['supplier_ambiguous']),
  });
  expect(open.supplier_ids.sort()).toEqual([contractor.id, twin.id].sort());
  const decided = await service.ingest(id, { supplier: bare, references: { purchase_order: order } });
  expect(decided).toMatchObject({ ticket_id: ticket.id, supplier_id: contractor.id });
  expect(decided.flags).not.toContain('supplier_ambiguous');
});

test("two invoices that each take a ticket's whole order at once: the second knows of the first", async () => {
  const { id, order } = await service.world();
  const events = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      service.payload(id, { number: `W-${index}`, references: { purchase_order: order } }),
    ),
  );
  await service.publish(invoiceFetched, ...events);
  await eventually(async () => {
    const invoices = await Promise.all(events.map((event) => service.invoice(event)));
    expect(invoices.every((invoice) => invoice !== null)).toBe(true);
    expect(invoices.filter((invoice) => invoice?.ticket_id)).toHaveLength(1);
  });
});
