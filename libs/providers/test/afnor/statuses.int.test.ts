import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  allStatuses,
  type InvoiceStatus,
  invoiceStatuses,
  noDetails,
  type StatusDetails,
  type StatusReason,
  statusRule,
} from '@app/contracts';
import type { Sample } from '../../../einvoice/test/sample.ts';
import { normalizeAfnor } from '../../afnor/mapping.ts';
import type { Feedback, ProviderClient } from '../../provider.ts';
import { clientOf, closeReader, feedbackOn } from '../fake-provider.ts';
import { ublInvoice } from '../ubl-invoice.ts';
import { type FakeAfnor, startFakeAfnor } from './fake-afnor.ts';

afterAll(closeReader);
let fake: FakeAfnor;
let client: ProviderClient;

beforeEach(async () => {
  fake = await startFakeAfnor();
  client = clientOf(fake);
});
afterEach(() => fake.close());

const note = 'The <boiler> is cold & wet';

/** A status with all that it needs and may have. */
function detailsOf(status: InvoiceStatus, reason: StatusReason | null): StatusDetails {
  const { needs, takes } = statusRule(status);
  const has = (field: keyof StatusDetails) => needs.includes(field) || takes.includes(field);
  return {
    reason,
    note: has('note') ? note : null,
    amount: has('amount') ? 420.5 : null,
    date: has('date') ? '2026-11-19' : null,
    action: has('action') ? 'partial_credit' : null,
  };
}

const each = invoiceStatuses.flatMap((status) => {
  const reasons: readonly (StatusReason | null)[] = allStatuses[status]?.reasons ?? [];
  return (reasons.length > 0 ? reasons : [null]).map((reason) => [status, reason] as const);
});

/** The message of a status, which the platform finds nothing wrong with. */
async function sent(given: Partial<Feedback>, id = fake.known): Promise<string> {
  const before = fake.sent().length;
  await client.sendFeedback(feedbackOn(id, given));
  expect(fake.sent().slice(before)).toMatchObject([{ verdict: { status: 'Ok' } }]);
  return fake.sent().at(-1)?.xml ?? '';
}

test('check 14: 204 is a message from the buyer to the seller about the invoice, and says which ticket', async () => {
  await fake.platform.change(fake.known, { flow: { submittedAt: '2026-11-17T08:30:00Z' } });
  const ticket = { id: '0123456789abcdef01234567', number: 'T-1042 <urgent> & co' };
  const xml = await sent({ ticket, at: new Date('2026-11-18T07:06:05Z') });
  expect(fake.sent()[0]?.flowInfo).toMatchObject({
    flowSyntax: 'CDAR',
    processingRule: 'B2B',
    name: expect.stringMatching(/\.xml$/),
    trackingId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
  });
  const elements = [
    '<ram:ID>REGULATED</ram:ID>',
    '<ram:ID>urn.cpro.gouv.fr:1p0:CDV:invoice</ram:ID>',
    '<ram:SenderTradeParty><ram:RoleCode>WK</ram:RoleCode></ram:SenderTradeParty>',
    '<ram:IssuerTradeParty><ram:GlobalID schemeID="0002">356000000</ram:GlobalID><ram:Name>Bureaux &amp; Co &lt;Lyon&gt;</ram:Name><ram:RoleCode>BY</ram:RoleCode>',
    '<ram:RecipientTradeParty><ram:GlobalID schemeID="0002">732829320</ram:GlobalID>',
    '<ram:RoleCode>SE</ram:RoleCode><ram:URIUniversalCommunication><ram:URIID schemeID="0225">732829320_STATUTS</ram:URIID></ram:URIUniversalCommunication></ram:RecipientTradeParty>',
    '<ram:TypeCode>23</ram:TypeCode><ram:IssueDateTime><udt:DateTimeString format="204">20261118070605</udt:DateTimeString>',
    '<ram:IssuerAssignedID>FA-2026-0101</ram:IssuerAssignedID><ram:StatusCode>45</ram:StatusCode><ram:TypeCode>380</ram:TypeCode>',
    '<ram:ReceiptDateTime><udt:DateTimeString format="204">20261117083000</udt:DateTimeString></ram:ReceiptDateTime>',
    '<ram:ReferenceTypeCode>urn.cpro.gouv.fr:1p0:CDV:einvoicingF2</ram:ReferenceTypeCode>',
    '<qdt:DateTimeString format="102">20261116</qdt:DateTimeString>',
    '<ram:ProcessConditionCode>204</ram:ProcessConditionCode><ram:ProcessCondition>Prise en charge</ram:ProcessCondition>',
    '<ram:SequenceNumeric>1</ram:SequenceNumeric><ram:IncludedNote><ram:Content>Ticket T-1042 &lt;urgent&gt; &amp; co</ram:Content>',
  ];
  for (const element of elements) expect(xml).toContain(element);
});

test('the number and the type of the invoice are repeated as the supplier wrote them', async () => {
  fake.addFlow({ flowId: 'deposit' }, ublInvoice({ number: 'AC  1/b', typeCode: '386' }));
  const code =
    '<ram:IssuerAssignedID>AC  1/b</ram:IssuerAssignedID><ram:StatusCode>45</ram:StatusCode><ram:TypeCode>386<';
  expect(await sent({}, 'deposit')).toContain(code);
});

test.each([
  ['approved', null, ['StatusCode>1<', 'Code>205<']],
  [
    'partly_approved',
    'delivery',
    [
      ...['StatusCode>49<', 'ReasonCode>LIVR_INCOMP<', 'RequestedActionCode>CNP<'],
      'TypeCode>MAP</ram:TypeCode><ram:ValueAmount currencyID="EUR">420.50<',
      'TypeCode>MNA</ram:TypeCode><ram:ValueAmount currencyID="EUR">100.50<',
    ],
  ],
  [
    'disputed',
    'quality',
    ['StatusCode>46<', 'ReasonCode>QUALITE_ERR<', 'Reason>The &lt;boiler&gt; is cold &amp; wet<'],
  ],
  [
    'suspended',
    'document_missing',
    ['StatusCode>39<', 'RequestedActionCode>PIN<', 'RequestedAction>The &lt;boiler&gt;'],
  ],
  ['refused', 'duplicate', ['StatusCode>50<', 'ReasonCode>DOUBLON<', 'RequestedActionCode>NOA<', 'Content>The &lt;']],
  [
    'payment_sent',
    null,
    [
      'StatusCode>47<',
      'TypeCode>MPA</ram:TypeCode><ram:ValueAmount currencyID="EUR">420.50</ram:ValueAmount><ram:ValueDateTime><udt:DateTimeString format="102">20261119<',
    ],
  ],
] as const)('check 14: %s has its codes and its details', async (status, reason, parts) => {
  const xml = await sent({ outcome: status, details: detailsOf(status, reason) });
  for (const part of parts) expect(xml).toContain(part);
});

test('check 11: every status is valid by the schema of CDAR, with each of its reasons', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cdar-'));
  for (const [index, [status, reason]] of each.entries()) {
    const xml = await sent({ outcome: status, details: detailsOf(status, reason) }, fake.add(index));
    writeFileSync(join(folder, `${status}-${reason}.xml`), xml);
  }
  // The schema is not ours to publish: AFNOR_XSD is where somebody has it.
  const schema = process.env['AFNOR_XSD'];
  const files = readdirSync(folder).map((file) => join(folder, file));
  expect(files).toHaveLength(each.length);
  if (schema) execFileSync('xmllint', ['--noout', '--schema', schema, ...files], { stdio: 'pipe' });
  rmSync(folder, { recursive: true });
});

test('check 12: a refusal by a buyer with a SIREN passes: the sender is a platform without any number', async () => {
  const xml = await sent({ outcome: 'refused', details: detailsOf('refused', 'total') });
  expect(xml).toContain('<ram:SenderTradeParty><ram:RoleCode>WK</ram:RoleCode></ram:SenderTradeParty>');
  expect(xml).toContain('<ram:IssuerTradeParty><ram:GlobalID schemeID="0002">356000000</ram:GlobalID>');
});

const lacking: [string, Partial<Sample>, string][] = [
  ['a SIREN of the buyer', { buyer: { name: 'Bureaux' } }, 'buyer_siren'],
  ['a type that the rules know', { typeCode: '130' }, 'type_code'],
];
test.each(lacking)('without %s nothing is sent, and the invoice says so', async (_what, given, lacks) => {
  const document = ublInvoice(given);
  fake.addFlow({ flowId: 'lacking' }, document);
  const call = client.sendFeedback(feedbackOn('lacking'));
  await expect(call).rejects.toMatchObject({ kind: 'refused', code: 'not_sendable' });
  expect(fake.sent()).toEqual([]);
  const flow = Buffer.from(JSON.stringify({ flowSyntax: 'UBL', processingRule: 'B2B' }));
  expect(normalizeAfnor(flow, document).lifeCycle).toMatchObject({ rule: 'B2B', lacks });
});

test('check 16: an invoice between countries takes a payment, and nothing else is sent', async () => {
  fake.addFlow({ flowId: 'abroad', processingRule: 'B2BInt' }, ublInvoice());
  await expect(client.sendFeedback(feedbackOn('abroad'))).rejects.toMatchObject({ code: 'not_sendable' });
  const payment = { outcome: 'payment_sent', details: detailsOf('payment_sent', null), key: 'paid' } as const;
  await sent(payment, 'abroad');
  expect(fake.sent()).toMatchObject([{ flowInfo: { processingRule: 'B2BInt' } }]);
});

test('check 17: a message waits until the platform says that it accepts it', async () => {
  const { reference, ...result } = (await client.sendFeedback(feedbackOn(fake.known))) as { reference: string };
  expect([result, reference]).toEqual([{ state: 'waiting' }, fake.sent()[0]?.flowId]);
  expect(await client.sendFeedback(feedbackOn(fake.known, { reference }))).toEqual({ state: 'waiting', reference });
  await fake.platform.settle(reference);
  for (const known of [reference, null]) {
    expect(await client.sendFeedback(feedbackOn(fake.known, { reference: known }))).toEqual({ state: 'accepted' });
  }
  expect(fake.sent()).toHaveLength(1);
});

test('check 17: a message that the platform refuses fails with its reasons, and another attempt has other ids', async () => {
  fake.platform.reject({ reasonCode: 'InvalidSchema', reasonMessage: 'no such status', item: 'MDT-88' });
  const { reference } = (await client.sendFeedback(feedbackOn(fake.known))) as { reference: string };
  await fake.platform.settle(reference);
  for (const known of [reference, null]) {
    const call = client.sendFeedback(feedbackOn(fake.known, { reference: known }));
    await expect(call).rejects.toMatchObject({
      kind: 'refused',
      code: 'message_refused',
      message: 'the platform refused the message: InvalidSchema: no such status (MDT-88)',
    });
  }
  expect(fake.sent()).toHaveLength(1);
  await client.sendFeedback(feedbackOn(fake.known, { key: 'taken_in_charge/1' }));
  const ids = fake.sent().map(({ flowInfo, xml }) => [flowInfo.trackingId, /<ram:ID>([\w-]{36})</.exec(xml)?.[1]]);
  expect(new Set(ids.flat()).size).toBe(2);
});

test('check 18: a message whose answer was lost is found by its tracking id, and not sent again', async () => {
  fake.fail({ kind: 'lost', on: fake.writePattern });
  await expect(client.sendFeedback(feedbackOn(fake.known))).rejects.toMatchObject({ kind: 'transient' });
  fake.heal();
  const reference = fake.sent()[0]?.flowId;
  expect(await client.sendFeedback(feedbackOn(fake.known))).toEqual({ state: 'waiting', reference });
  expect(fake.sent()).toHaveLength(1);
});

test('check 18: of several replicas at once the platform accepts one message, and its acknowledgement counts for all', async () => {
  const results = await Promise.all([1, 2, 3].map(() => client.sendFeedback(feedbackOn(fake.known))));
  for (const { flowId } of fake.sent()) await fake.platform.settle(flowId);
  for (const { reference } of results as { reference: string }[])
    expect(await client.sendFeedback(feedbackOn(fake.known, { reference }))).toEqual({ state: 'accepted' });
  expect(fake.sent().filter(({ verdict }) => verdict.status === 'Ok')).toHaveLength(1);
});

test('check 18: a platform that refuses a second message at once: the first one counts', async () => {
  const first = await client.sendFeedback(feedbackOn(fake.known));
  fake.fail({ kind: 'status', status: 200, body: { results: [] }, times: 1, on: '/flows/search' });
  fake.fail({ kind: 'status', status: 409, times: 1, on: fake.writePattern });
  expect(await client.sendFeedback(feedbackOn(fake.known))).toEqual(first);
  expect(fake.sent()).toHaveLength(1);
});

test('an invoice that can’t be read can’t be answered', async () => {
  fake.addFlow({ flowId: 'odd' }, Buffer.from('<Odd/>'));
  await expect(client.sendFeedback(feedbackOn('odd'))).rejects.toMatchObject({ kind: 'refused' });
});

test('what was said holds: nothing takes a status back', async () => {
  expect(await client.sendFeedback(feedbackOn(fake.known, { outcome: 'reversed' }))).toEqual({ state: 'accepted' });
  expect([fake.sent(), noDetails.reason]).toEqual([[], null]);
});
