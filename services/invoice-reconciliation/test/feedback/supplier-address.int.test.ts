import { type FeedbackSettled, invoiceFeedbackRequested, invoiceFeedbackSettled } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventFixture } from '@app/testing';
import type { Invoice } from '../../invoices/invoice.ts';
import { link, quiet, read, useService, useWorld } from '../reconciliation.ts';

const service = useService(quiet);
const world = useWorld(service);
const note = 'The pump was not delivered';
const siren = '732829320';

/** An invoice of an approved platform, with or without its supplier's electronic address (BT-34). */
async function anInvoice(address: string | null = null): Promise<Invoice> {
  const endpoint = address === null ? '' : `<EndpointID schemeID="0225">${address}</EndpointID>`;
  const party = (role: string, number: string, own = '') =>
    `<Accounting${role}Party><Party>${own}<PartyLegalEntity><CompanyID schemeID="0002">${number}</CompanyID>
    </PartyLegalEntity></Party></Accounting${role}Party>`;
  const document = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2">
    <ID>${newId()}</ID><IssueDate>2026-11-16</IssueDate><DocumentCurrencyCode>EUR</DocumentCurrencyCode>
    ${party('Supplier', siren, endpoint)}${party('Customer', '356000000')}<LegalMonetaryTotal>
    <TaxExclusiveAmount>7.00</TaxExclusiveAmount><TaxInclusiveAmount>8.40</TaxInclusiveAmount></LegalMonetaryTotal></Invoice>`;
  const raw = { flowSyntax: 'UBL', processingRule: 'B2B', acknowledgement: { status: 'Ok' } };
  const files = {
    raw: await service.stored(Buffer.from(JSON.stringify(raw))),
    document: await service.stored(Buffer.from(document), 'application/xml'),
  };
  return service.ingest(world.id, {}, { provider: 'afnor', ...files });
}
const tell = ({ _id }: Invoice, body: object = { status: 'disputed', reason: 'delivery', note }) =>
  world.client.call('post', `/invoices/${_id}/status`, body);
const statusOf = async ({ _id }: Invoice) => (await read(world, _id)).supplierStatus;
const asked = ({ _id }: Invoice) => service.eventsOf(_id, invoiceFeedbackRequested).map(({ data }) => data['outcome']);
const saysDirectory = (address: string | null, failure: string | null = null) =>
  service.fakes.say({ address: { address, failure } });

test('where a status goes is what the invoice says, or else what the directory says, which is asked only then', async () => {
  const known = await anInvoice(`${siren}_STATUTS`);
  expect(await statusOf(known)).toMatchObject({ receivesAt: `0225:${siren}_STATUTS`, obstacle: null });
  expect(service.fakes.addressesAsked).toEqual([]);
  saysDirectory(siren);
  const found = await anInvoice();
  const { receivesAt, directoryFailure, sendable } = await statusOf(found);
  expect([receivesAt, directoryFailure, sendable.length > 0]).toEqual([`0225:${siren}`, null, true]);
  expect(service.fakes.addressesAsked).toEqual([{ provider: 'afnor', siren, siret: null }]);
  expect((await tell(found)).status).toBe(200);
});

test('check 15: without an address in the directory an invoice is "not sendable", which is said before anything is sent', async () => {
  saysDirectory(null);
  const invoice = await anInvoice();
  expect(await statusOf(invoice)).toMatchObject({ sendable: [], obstacle: 'not_sendable', receivesAt: null });
  const refusal = { status: 'refused', reason: 'total', note };
  for (const body of [undefined, refusal]) {
    const { status, data } = await tell(invoice, body);
    expect([status, data.rule, data.error]).toEqual([
      ...[409, 'not_sendable'],
      expect.stringContaining('the electronic address of the supplier (BT-34), and the directory has none in use'),
    ]);
  }
  expect(await service.invoice(invoice)).toMatchObject({
    state: 'ticket_unmatched',
    canonical: { lifeCycle: { lacks: null } },
  });
  // Refused all the same, it is concluded, and nobody is told.
  const code = { code: 'total', reason: note };
  expect((await world.client.call('post', `/invoices/${invoice._id}/refuse`, code)).status).toBe(200);
  await service.becomes(invoice, { state: 'done', conclusion: { outcome: 'refused' } });
  expect(asked(invoice)).toEqual([]);
});

test.each([
  ['the directory is down', { address: null, failure: 'the directory is down' }, 'the directory is down'],
  ['the service connection does not know it', 404, 'the connection service gave no usable answer'],
])(
  'while %s an invoice is not held up: a status may be told, and says why it may wait',
  async (_what, address, why) => {
    service.fakes.say({ address });
    const invoice = await anInvoice();
    expect(await statusOf(invoice)).toMatchObject({ obstacle: null, receivesAt: null, directoryFailure: why });
    expect((await tell(invoice)).status).toBe(200);
    expect((await statusOf(invoice)).current).toBe('disputed');
  },
);

test('a link whose supplier cannot be told is done, in no error, and says why', async () => {
  saysDirectory(siren);
  const invoice = await anInvoice();
  await link(world, invoice._id);
  await service.becomes(invoice, { state: 'feedback_pending' });
  const reason = 'not sendable: the invoice lacks the electronic address of the supplier (BT-34)';
  const { _id: invoice_id, client_id } = invoice;
  const failed = { result: 'failed', refused: true, unsendable: true, reason } as const;
  const about = { invoice_id, client_id, link_version: 1, outcome: 'taken_in_charge' } as const;
  const result: FeedbackSettled = { ...eventFixture(invoiceFeedbackSettled).data, ...about, ...failed };
  await service.publish(invoiceFeedbackSettled, result);
  await service.becomes(invoice, { state: 'done', ticket_id: world.ticket.id, failure: null });
  expect((await statusOf(invoice)).told).toMatchObject([
    { status: 'taken_in_charge', result: 'failed', failure: reason },
  ]);
});
