import {
  type FeedbackRequested,
  type FeedbackSettled,
  invoiceFeedbackRequested,
  invoiceFeedbackSettled,
  noDetails,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type OfPlatform, type PlatformService, startWithPlatform } from './platform.ts';

let service: PlatformService;
beforeAll(async () => {
  service = await startWithPlatform();
});
afterEach(() => service.platform.heal());
afterAll(() => service.stop());

let sirens = 100_000_000;
/** A supplier with its own SIREN, in the directory with these lines. */
function aSupplier(...lines: { suffix?: string; directoryLineStatus?: string }[]): string {
  sirens += 1;
  const siren = String(sirens);
  const listed = lines.map(({ suffix = '', ...given }) => ({ addressingIdentifier: siren + suffix, siren, ...given }));
  service.platform.addToDirectory({ lines: listed });
  return siren;
}
const searches = () =>
  service.platform.received().requests.filter(({ path }) => path.endsWith('/directory-line/search')).length;
const onSearch = '/directory-line/search';
const addressOf = ({ owner: as }: Pick<OfPlatform, 'owner'>, siren: string, given: object = {}) =>
  service.call('POST', '/internal/supplier-addresses', {
    as,
    body: { provider: 'afnor', siren, siret: null, ...given },
  });

/** A request to tell the supplier of an invoice without its electronic address (BT-34). */
async function aRequest({ owner, id, organization }: OfPlatform, siren: string): Promise<FeedbackRequested> {
  const party = (name: string, number: string) =>
    `<Accounting${name}Party><Party><PartyLegalEntity><RegistrationName>${name}</RegistrationName>
    <CompanyID schemeID="0002">${number}</CompanyID></PartyLegalEntity></Party></Accounting${name}Party>`;
  const invoice = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ID>NA-${siren}</ID>
    <IssueDate>2026-11-16</IssueDate><InvoiceTypeCode>380</InvoiceTypeCode><DocumentCurrencyCode>EUR</DocumentCurrencyCode>
    ${party('Supplier', siren)}${party('Customer', '732829320')}<LegalMonetaryTotal><TaxExclusiveAmount>7.00</TaxExclusiveAmount>
    <TaxInclusiveAmount>8.40</TaxInclusiveAmount></LegalMonetaryTotal></Invoice>`;
  const document = { syntax: 'UBL', bytes: Buffer.from(invoice) };
  const { flow } = await service.platform.addInvoice({ organization, document, notify: false });
  return {
    invoice_id: newId(),
    client_id: owner.companyId,
    connection_id: id,
    provider: 'afnor',
    external_id: flow.flowId,
    link_version: 1,
    outcome: 'taken_in_charge',
    ticket: { id: newId(), number: 'T-1' },
    po_ref: null,
    details: noDetails,
    asked_at: new Date().toISOString(),
    key: 'taken_in_charge/0',
    earlier_links: [],
  };
}
const ask = (request: FeedbackRequested) => service.publish(invoiceFeedbackRequested(request, new Date()));
const settled = ({ invoice_id }: FeedbackRequested): FeedbackSettled[] =>
  service.events(invoiceFeedbackSettled).filter((event) => event.invoice_id === invoice_id);
const sent = (siren: string) =>
  service.platform.received().flows.filter(({ file }) => file.toString('utf8').includes(`NA-${siren}`));

test('where a supplier receives is asked of the directory once, for its company and with its credentials', async () => {
  const one = await service.connected();
  const [siren, nobody] = [aSupplier({ suffix: '_STATUTS' }, {}), aSupplier({ directoryLineStatus: 'Disabled' })];
  const before = searches();
  const found = { status: 200, body: { address: `${siren}_STATUTS`, failure: null } };
  expect(await Promise.all([addressOf(one, siren), addressOf(one, siren)])).toMatchObject([found, found]);
  expect(await addressOf(one, nobody)).toMatchObject({ status: 200, body: { address: null, failure: null } });
  expect(searches()).toBe(before + 2);
  const colleague = { owner: { ...one.owner, permissions: [] } };
  expect(await addressOf(colleague, siren)).toMatchObject({ status: 403 });
  expect(await addressOf(one, '12')).toMatchObject({ status: 422 });
});

test('a directory that is down, and a connection that cannot be used, are reasons in words', async () => {
  const one = await service.connected();
  const failureOf = async (...args: Parameters<typeof addressOf>) => (await addressOf(...args)).body['failure'];
  service.platform.fail({ kind: 'status', status: 503, on: onSearch });
  expect(await failureOf(one, aSupplier({}))).toBe(
    "the directory can't be asked where the supplier receives: the provider answered 503",
  );
  const pausedUntil = new Date(Date.now() + 3_600_000);
  await service.database.collection('connections').updateOne({ _id: one.id as never }, { $set: { pausedUntil } });
  expect(await failureOf(one, aSupplier({}))).toBe('the connection is paused');
  await service.remove(one);
  expect(await failureOf(one, aSupplier({}))).toBe('there is no active connection to this provider');
});

test('check 15: a status without BT-34 goes to the line of the directory; without one nothing is sent, and it says so', async () => {
  const one = await service.connected();
  const [siren, nobody] = [aSupplier({}), aSupplier({ directoryLineStatus: 'Upcoming' })];
  const [request, hopeless] = [await aRequest(one, siren), await aRequest(one, nobody)];
  await ask(request);
  await eventually(() => expect(settled(request)).toMatchObject([{ result: 'sent', reason: null }]));
  expect(sent(siren)[0]?.file.toString('utf8')).toContain(`<ram:URIID schemeID="0225">${siren}<`);
  await ask(hopeless);
  const reason = expect.stringMatching(/^not sendable: .*\(BT-34\), and the directory has none in use$/);
  await eventually(() => expect(settled(hopeless)).toMatchObject([{ result: 'failed', unsendable: true, reason }]));
  expect(sent(nobody)).toEqual([]);
});

test('a directory that stays down ends the attempts with its reason; the connection stays healthy', async () => {
  const one = await service.connected();
  const siren = aSupplier({});
  const request = await aRequest(one, siren);
  service.platform.fail({ kind: 'status', status: 429, on: onSearch, retryAfter: '3600' });
  await ask(request);
  const reason = expect.stringContaining("the directory can't be asked");
  await eventually(() => expect(settled(request)).toMatchObject([{ result: 'failed', unsendable: true, reason }]));
  expect(await service.viewOf(one)).toMatchObject({ health: { status: 'ok' } });
  expect((await service.recordOf(one))?.['pausedUntil']).toBeNull();
  expect(sent(siren)).toEqual([]);
});
