import { type ApprovedPlatform, startApprovedPlatform } from '@app/demo';
import { eventually } from '@app/testing';
import { afnor } from '../../afnor/afnor.ts';
import type { ProviderClient, SupplierInDirectory } from '../../provider.ts';
import { createInvoiceReader } from '../../reading/invoice-reader.ts';
import { feedbackOn } from '../fake-provider.ts';
import { ublInvoice } from '../ubl-invoice.ts';

const organization = 'buyer';
const apiKey = 'a-key-of-the-platform';
const [siren, siret, otherSiret] = ['732829320', '73282932000074', '73282932000082'];
const reader = createInvoiceReader({ slowMayWait: true });
let platform: ApprovedPlatform;
let client: ProviderClient;
afterAll(() => reader.close());
beforeEach(async () => {
  platform = await startApprovedPlatform({ port: 0 });
  platform.setClient({ clientId: 'app', clientSecret: 'secret', organizations: [organization], apiKey });
  client = connect();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await platform.close();
});

function connect(given: { owner?: string; timeoutMs?: number; baseUrl?: string; directoryUrl?: string } = {}) {
  const own = { baseUrl: platform.flowService, credentials: { apiKey }, owner: 'a company', timeoutMs: 20_000 };
  return afnor.connect({ ...own, reader, organizationId: organization, ...given });
}

const line = (addressingIdentifier: string, directoryLineStatus = 'Enabled') => ({
  addressingIdentifier,
  directoryLineStatus,
  siren: addressingIdentifier.slice(0, 9),
});
const list = (...lines: ReturnType<typeof line>[]) => platform.addToDirectory({ lines });
const addressOf = (given: Partial<SupplierInDirectory> = {}, of = client) =>
  of.directory?.addressOf({ siren, siret: null, given: null, ...given });
const searches = () => platform.received().requests.filter(({ path }) => path.endsWith('/directory-line/search'));
const onSearch = '/directory-line/search';

const seller = { name: 'Durand', vat: 'FR44732829320', legalId: { scheme: '0002', value: siren } };
/** Tells the supplier of an invoice with this electronic address (BT-34). @returns the address that the message went to */
async function tell(address: { scheme: string; value: string } | null) {
  const bytes = ublInvoice({ seller: { ...seller, ...(address && { address }) } });
  const { flow } = await platform.addInvoice({ organization, document: { syntax: 'UBL', bytes } });
  await client.sendFeedback(feedbackOn(flow.flowId));
  const sent = platform.received().flows.at(-1)?.file.toString('utf8') ?? '';
  return /<ram:URIID schemeID="(.*?)">(.*?)</.exec(sent)?.slice(1);
}

test("check 15: a status to a seller without an address (BT-34) goes to the seller's Enabled line of the directory", async () => {
  list(line(`${siren}_OLD`, 'Disabled'), line(`${siren}_NEW`, 'Upcoming'), line(siren), line('356000000'));
  expect(await tell(null)).toEqual(['0225', siren]);
  expect(searches()).toMatchObject([{ status: 200, organization: null, requestId: expect.any(String) }]);
});

test('check 15: without a line it is not sendable, and nothing is sent', async () => {
  list(line(siren, 'Disabled'), line('356000000'));
  await expect(tell(null)).rejects.toMatchObject({
    kind: 'refused',
    code: 'not_sendable',
    message:
      'not sendable: the invoice lacks the electronic address of the supplier (BT-34), and the directory has none in use',
  });
  expect(platform.received().flows).toEqual([]);
});

test('an address that is disabled is replaced by one in use; any other one is used as the invoice gives it', async () => {
  list(line(`${siren}_OLD`, 'Disabled'), line(siren));
  expect(await tell({ scheme: '0225', value: `${siren}_OLD` })).toEqual(['0225', siren]);
  expect(await tell({ scheme: '0225', value: `${siren}_UNLISTED` })).toEqual(['0225', `${siren}_UNLISTED`]);
  const before = searches().length;
  expect(await tell({ scheme: 'EM', value: 'factures@durand.example' })).toEqual(['EM', 'factures@durand.example']);
  platform.set({ directory: 'unavailable' });
  expect(await tell({ scheme: '0225', value: `${siren}_OTHER` })).toEqual(['0225', `${siren}_OTHER`]);
  expect(searches()).toHaveLength(before + 1);
});

test.each<[string, string[], Partial<SupplierInDirectory>, string | null]>([
  ['that for statuses', [siren, `${siren}_${siret}`, `${siren}_Status`], { siret }, `${siren}_Status`],
  ['that of the place', [siren, `${siren}_${siret}`, `${siren}_${otherSiret}`], { siret }, `${siren}_${siret}`],
  ['that of the company', [`${siren}_${otherSiret}`, siren], { siret }, siren],
  ['none of another place', [`${siren}_${otherSiret}`], { siret }, null],
  ['that of any place, if no place is known', [`${siren}_${otherSiret}`], {}, `${siren}_${otherSiret}`],
])('of several lines in use, %s is taken', async (_which, addresses, given, expected) => {
  list(...addresses.map((address) => line(address)));
  platform.set({ directory: 'without-status' });
  expect(await addressOf(given)).toBe(expected);
});

test('an address of another company is never taken, whatever the platform answers', async () => {
  list({ ...line('356000000'), siren }, { ...line(`${siren}1`), siren });
  expect(await addressOf()).toBeNull();
});

test('an answer is known for a day; those who ask at once share one request', async () => {
  list(line(siren));
  const asked = Array.from({ length: 10 }, () => addressOf());
  expect(new Set(await Promise.all(asked))).toEqual(new Set([siren]));
  list(line(siren, 'Disabled'));
  expect([await addressOf(), searches().length]).toEqual([siren, 1]);
  // Another connection asks with its own credentials.
  expect([await addressOf({}, connect()), searches().length]).toEqual([null, 2]);
  const later = performance.now() + 24 * 3_600_000;
  jest.spyOn(performance, 'now').mockImplementation(() => later);
  expect([await addressOf(), searches().length]).toEqual([null, 3]);
});

test('a company has one request at a time; one that does not answer is left alone, and keeps no other company waiting', async () => {
  list(line(siren));
  platform.fail({ kind: 'hang', on: onSearch, times: 1 });
  const hasty = connect({ timeoutMs: 3_000 });
  const failed = {
    kind: 'transient',
    code: 'not_sendable',
    message: expect.stringContaining('did not answer in time'),
  };
  const one = expect(addressOf({}, hasty)).rejects.toMatchObject(failed);
  const next = expect(addressOf({ siren: '356000000' }, hasty)).rejects.toMatchObject(failed);
  await eventually(() => expect(searches()).toHaveLength(1));
  expect(await addressOf({}, connect({ owner: 'another company' }))).toBe(siren);
  await Promise.all([one, next]);
  expect(searches()).toHaveLength(2);
});

test.each([
  [400, 'refused', 'the provider refused (400)'],
  [401, 'refused', 'the provider refuses the credentials (401)'],
  [404, 'refused', 'the provider does not have this'],
  [429, 'transient', 'the provider limits the rate of calls'],
  [501, 'transient', 'the provider answered 501'],
  [503, 'transient', 'the provider answered 503'],
])('a directory that answers %i is a reason in words, and none to pause the connection', async (status, kind, why) => {
  platform.fail({ kind: 'status', status, on: onSearch, retryAfter: '7', body: {} });
  const message = `the directory can't be asked where the supplier receives: ${why}`;
  await expect(addressOf()).rejects.toMatchObject({ kind, code: 'not_sendable', retryAfterMs: null, message });
  platform.heal();
  const isPaused = kind === 'transient' || status === 401;
  const [again] = await Promise.allSettled([addressOf()]);
  expect([again?.status, searches().length]).toEqual(isPaused ? ['rejected', 1] : ['fulfilled', 2]);
});

test('an abort ends the wait', async () => {
  platform.fail({ kind: 'hang', on: onSearch });
  const reason = new Error('the process was stopped');
  const asked = client.directory?.addressOf({ siren, siret: null, given: null }, AbortSignal.abort(reason));
  await expect(asked).rejects.toBe(reason);
});

test('the directory is beside the flow service, where a setting says, or nowhere', async () => {
  list(line(siren));
  const elsewhere = { baseUrl: `${platform.url}/an-operators-own-path` };
  expect(connect(elsewhere).directory).toBeUndefined();
  const told = connect({ ...elsewhere, directoryUrl: platform.directoryService.replace(/\/v1$/, '') });
  expect(await addressOf({}, told)).toBe(siren);
});
