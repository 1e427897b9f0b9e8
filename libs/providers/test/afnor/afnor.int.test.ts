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

test('invoices of our own are neither listed nor fetched, and life-cycle messages of suppliers are listed', async () => {
  fake.addFlow({ flowId: 'own', flowDirection: 'Out', flowType: 'CustomerInvoice' }, ublInvoice({ number: 'X' }));
  fake.addFlow({ flowId: 'status', flowType: 'SupplierInvoiceLC' }, Buffer.from('<x/>'));
  const { changes } = await client.listChanged(new Date(0), null);
  expect(changes.map(({ externalId }) => externalId)).toEqual([fake.known, 'status']);
  await expect(client.fetchInvoice('own')).rejects.toMatchObject({ kind: 'not_found' });
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

test('a list during which a listed flow changed has no watermark: the cursor may have gone past another one', async () => {
  inOneMoment(150);
  const first = await client.listChanged(new Date(0), null);
  const later = new Date(moment.getTime() + 1).toISOString();
  Object.assign(fake.flows.get(fake.known) ?? {}, { updatedAt: later });
  const last = await client.listChanged(new Date(0), first.cursor);
  expect([last.cursor, last.watermark]).toEqual([null, null]);
  expect((await allPages(client, new Date(0))).at(-1)?.watermark).toEqual(new Date(later));
});

test('a page that may be full and names no next one is the end on a platform that pages', async () => {
  inOneMoment(99);
  expect(idsIn(await allPages(client, new Date(0)))).toHaveLength(100);
});

test('a platform that gives no cursor: what it gives is listed, and then that there may be more is a failure', async () => {
  const hiding = await startFakeAfnor({ pages: false, most: 25 });
  inOneMoment(30, hiding);
  const unpaged = clientOf(hiding);
  const first = await unpaged.listChanged(new Date(0), null);
  expect([first.changes.length, first.watermark]).toEqual([25, null]);
  await expect(unpaged.listChanged(new Date(0), first.cursor)).rejects.toMatchObject({ kind: 'refused' });
  await hiding.close();
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
