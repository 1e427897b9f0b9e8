import { type InvoiceStatusReceived, invoiceFetched, invoiceStatusReceived } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { link, odd, quiet, read, useService, useWorld } from '../reconciliation.ts';

const service = useService(quiet);
const world = useWorld(service);

let numbers = 0;
const aNumber = () => {
  numbers += 1;
  return `LC-${numbers}`;
};

function aStatus(number: string, given: Partial<InvoiceStatusReceived> = {}): InvoiceStatusReceived {
  return {
    client_id: world.id,
    provider: 'sandbox',
    id: `${newId()}/0`,
    number,
    issue_date: '2026-11-12',
    supplier_siren: world.contractor.siren,
    status: '212',
    reasons: [],
    at: '2026-11-20T14:31:09.000Z',
    ...given,
  };
}

const unplaced = (number: string) => service.ingest(world.id, { number, amounts: odd });
const placed = async (number: string) => {
  const invoice = await unplaced(number);
  expect((await link(world, invoice._id)).status).toBe(200);
  return invoice;
};
const shown = async ({ _id }: Invoice) => (await read(world, _id)) as { receivedStatuses: object[]; state: string };

test('19: a payment that the supplier received is shown, the earliest first and each message once', async () => {
  const number = aNumber();
  const invoice = await unplaced(number);
  const paid = aStatus(number, { reasons: [{ code: null, text: 'Virement du 20/11' }] });
  const earlier = aStatus(number, { status: '209', at: '2026-11-18T10:00:00.000Z' });
  await service.settle(invoiceStatusReceived, paid, earlier, paid);
  expect(await shown(invoice)).toMatchObject({
    state: 'ticket_unmatched',
    receivedStatuses: [
      { status: '209', reasons: [], at: '2026-11-18T10:00:00.000Z' },
      { status: '212', reasons: [{ code: null, text: 'Virement du 20/11' }], at: '2026-11-20T14:31:09.000Z' },
    ],
  });
});

const ends = [
  ['220', 'canceled by its supplier', []],
  ['213', 'rejected by a platform', [{ code: 'MONTANTTOTAL_ERR', text: null }]],
] as const;

test.each(ends)('19: %s, %s: it needs a person and is suggested no ticket', async (status, _what, reasons) => {
  const number = aNumber();
  const invoice = await unplaced(number);
  await service.settle(invoiceStatusReceived, aStatus(number, { status, reasons: [...reasons] }));
  expect(await read(world, invoice._id)).toMatchObject({
    state: 'manual_review',
    providerStatus: status,
    flags: expect.arrayContaining(['provider_status']),
    reasons: expect.arrayContaining(['provider_status']),
    suggestions: [],
  });
});

test.each(ends)(
  '19: %s, %s, once it is on a ticket: it stays there and needs a person',
  async (status, _what, reasons) => {
    const number = aNumber();
    const invoice = await placed(number);
    await service.settle(invoiceStatusReceived, aStatus(number, { status, reasons: [...reasons] }));
    await service.becomes(invoice, { state: 'manual_review', ticket_id: world.ticket.id, provider_status: status });
  },
);

test('19: a second delivery that a platform rejected leaves the invoice valid', async () => {
  const number = aNumber();
  const invoice = await unplaced(number);
  const duplicate = aStatus(number, { status: '213', reasons: [{ code: 'DOUBLON', text: null }] });
  await service.settle(invoiceStatusReceived, duplicate);
  expect(await shown(invoice)).toMatchObject({ state: 'ticket_unmatched', receivedStatuses: [{ status: '213' }] });
});

test('a cancellation that comes before its invoice waits for it', async () => {
  const number = aNumber();
  await service.settle(invoiceStatusReceived, aStatus(number, { status: '220' }));
  const waiting = service.connection.collection('waiting_statuses');
  expect(await waiting.countDocuments({ 'message.number': number })).toBe(1);
  const invoice = await unplaced(number);
  // As if the delay were over.
  await waiting.updateMany({ 'message.number': number }, { $set: { due_at: new Date(0) } });
  await service.becomes(invoice, { state: 'manual_review', provider_status: '220' });
  await eventually(async () => expect(await waiting.countDocuments({ 'message.number': number })).toBe(0));
});

test('an invoice that ended stays so when the platform sends it again', async () => {
  const number = aNumber();
  const content = { number, amounts: odd };
  const event = await service.payload(world.id, content);
  await service.settle(invoiceFetched, event);
  await service.settle(invoiceStatusReceived, aStatus(number, { status: '220' }));
  const { external_id, sequence } = event;
  const again = await service.payload(
    world.id,
    { ...content, notes: ['changed'] },
    { external_id, sequence: sequence + 1 },
  );
  await service.settle(invoiceFetched, again);
  await service.becomes(event, {
    state: 'manual_review',
    provider_status: '220',
    received_statuses: [{ status: '220' }],
  });
});

test.each([
  ['of another company', { client_id: newId() }],
  ['of another supplier', { supplier_siren: '552100554' }],
  ['of nobody', { supplier_siren: null }],
  ['of another day', { issue_date: '2026-11-13' }],
  ['of another provider', { provider: 'afnor' }],
])('a status of an invoice %s says nothing of this one', async (_case, given) => {
  const number = aNumber();
  const invoice = await unplaced(number);
  await service.settle(invoiceStatusReceived, aStatus(number, { status: '220', ...given }));
  expect(await shown(invoice)).toMatchObject({ state: 'ticket_unmatched', receivedStatuses: [] });
});
