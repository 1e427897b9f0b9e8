import { normalizeAfnor } from '../../afnor/mapping.ts';
import type { ProviderClient } from '../../provider.ts';
import { allPages, clientOf, closeReader, feedbackOn, idsIn } from '../fake-provider.ts';
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

test('life-cycle messages and invoices of our own are neither listed nor fetched', async () => {
  fake.addFlow({ flowId: 'own', flowDirection: 'Out', flowType: 'CustomerInvoice' }, ublInvoice({ number: 'X' }));
  fake.addFlow({ flowId: 'status', flowType: 'SupplierInvoiceLC' }, Buffer.from('<x/>'));
  const { changes } = await client.listChanged(new Date(0), null);
  expect(changes).toMatchObject([{ externalId: fake.known, deleted: false }]);
  for (const id of ['own', 'status'])
    await expect(client.fetchInvoice(id)).rejects.toMatchObject({ kind: 'not_found' });
});

const moment = new Date(Date.now() + 10_000);
const inOneMoment = (count: number, of = fake) => {
  const updatedAt = moment.toISOString();
  for (let number = 0; number < count; number += 1)
    of.addFlow({ flowId: `same-${number}`, updatedAt }, Buffer.alloc(0));
};

test('more flows of one moment than a page holds are listed whole, and only the last page tells how far it goes', async () => {
  inOneMoment(300);
  const pages = await allPages(client, new Date(0));
  expect(idsIn(pages)).toHaveLength(301);
  expect(pages.map(({ watermark }) => watermark !== null)).toEqual([false, false, false, true]);
});

describe.each([
  ['caps a page at 100', { most: 100, tellsLimit: false }],
  ['caps a page at 25, and says so', { most: 25, tellsLimit: true }],
  ['caps a page at 25, and does not tell', { most: 25, tellsLimit: false }],
])('a platform that gives no cursor and %s', (_cap, given) => {
  let capped: FakeAfnor;
  beforeEach(async () => {
    capped = await startFakeAfnor({ pages: false, ...given });
  });
  afterEach(() => capped.close());

  test('is listed whole', async () => {
    const added = Array.from({ length: 170 }, (_, number) => capped.add(number));
    expect(idsIn(await allPages(clientOf(capped), new Date(0)))).toEqual([capped.known, ...added]);
  });

  test('cannot tell more flows of one moment than a page holds: a failure, never an omission', async () => {
    inOneMoment(150, capped);
    await expect(allPages(clientOf(capped), new Date(0))).rejects.toMatchObject({ kind: 'refused' });
  });

  test('cannot hide later flows behind a moment that fills a page', async () => {
    inOneMoment(150, capped);
    capped.addFlow({ flowId: 'later', updatedAt: new Date(moment.getTime() + 1).toISOString() }, Buffer.alloc(0));
    await expect(allPages(clientOf(capped), moment)).rejects.toMatchObject({ kind: 'refused' });
  });

  test('is listed whole if all flows are of one moment, and fit', async () => {
    inOneMoment(20, capped);
    expect(idsIn(await allPages(clientOf(capped), moment))).toHaveLength(20);
  });
});

test('a platform that does not keep what the supplier sent: its conversion is read, and answered', async () => {
  fake.docTypes.clear();
  fake.docTypes.add('Converted');
  const { raw, document } = await client.fetchInvoice(fake.known);
  document?.stream.destroy();
  expect(normalizeAfnor(raw, fake.documentBytes).number).toBe('FA-2026-0101');
  await client.sendFeedback(feedbackOn(fake.known));
  expect(fake.sent).toHaveLength(1);
});

test('a flow without any document, or of a type that the platform does not know yet, is tried again', async () => {
  fake.addFlow({ flowId: 'pending', flowType: 'Undefined', acknowledgement: { status: 'Pending' } }, Buffer.alloc(0));
  await expect(client.fetchInvoice('pending')).rejects.toMatchObject({ kind: 'transient' });
  fake.docTypes.clear();
  await expect(client.fetchInvoice(fake.known)).rejects.toMatchObject({ kind: 'transient' });
});

test.each([
  ['Pending', 'Pending'],
  ['Ok', 'Ok'],
  ['Error', 'rejected'],
] as const)(
  'a flow that the platform acknowledges by %s is an invoice whose status is %s',
  async (status, expected) => {
    fake.addFlow({ flowId: 'acknowledged', acknowledgement: { status } }, ublInvoice({ number: 'X' }));
    const { raw, document } = await client.fetchInvoice('acknowledged');
    document?.stream.destroy();
    expect(normalizeAfnor(raw, fake.documentBytes).providerStatus).toBe(expected);
  },
);

test('an unreadable syntax is unmappable, and so is a flow without its file; a refused document stays refused', () => {
  const flow = (flowSyntax: string) => Buffer.from(JSON.stringify({ flowId: 'f', flowSyntax }));
  const unmappable = expect.objectContaining({ code: 'unmappable' });
  expect(() => normalizeAfnor(flow('FRR'), ublInvoice({ number: 'X' }))).toThrow(unmappable);
  expect(() => normalizeAfnor(flow('UBL'), null)).toThrow(unmappable);
  const refused = expect.objectContaining({ code: 'document_refused' });
  expect(() => normalizeAfnor(flow('UBL'), Buffer.from('<!DOCTYPE x><x/>'))).toThrow(refused);
});
