import { normalizeAfnor } from '../../afnor/mapping.ts';
import type { ProviderClient } from '../../provider.ts';
import { allPages, bytesOf, clientOf, closeReader, feedbackOn, idsIn } from '../fake-provider.ts';
import { ublInvoice } from '../ubl-invoice.ts';
import { type FakeAfnor, organization, startFakeAfnor } from './fake-afnor.ts';

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

const moment = new Date(Date.now() + 3_600_000);
const inOneMoment = (count: number) => {
  const updatedAt = moment.toISOString();
  for (let number = 0; number < count; number += 1)
    fake.addFlow({ flowId: `same-${number}`, updatedAt }, Buffer.alloc(0));
};

test('more flows of one moment than a page holds are listed whole, and only the last page tells how far it goes', async () => {
  inOneMoment(300);
  const pages = await allPages(client, new Date(0));
  expect(idsIn(pages)).toHaveLength(301);
  expect(pages.map(({ watermark }) => watermark !== null)).toEqual([false, false, false, true]);
});

test('a list during which a listed flow changed has no watermark: the cursor may have gone past another one', async () => {
  fake.platform.set({ cursors: 'count' });
  inOneMoment(150);
  const first = await client.listChanged(new Date(0), null);
  const later = new Date(moment.getTime() + 1).toISOString();
  await fake.platform.change(fake.known, { at: later });
  const last = await client.listChanged(new Date(0), first.cursor);
  expect([last.cursor, last.watermark]).toEqual([null, null]);
  expect((await allPages(client, new Date(0))).at(-1)?.watermark).toEqual(new Date(later));
});

test('a page that may be full and names no next one is the end on a platform that pages', async () => {
  inOneMoment(99);
  expect(idsIn(await allPages(client, new Date(0)))).toHaveLength(100);
});

test('a platform that gives no cursor: what it gives is listed, and then that there may be more is a failure', async () => {
  fake.platform.set({ cursors: 'none', mostPerPage: 25 });
  inOneMoment(30);
  const first = await client.listChanged(new Date(0), null);
  expect([first.changes.length, first.watermark]).toEqual([25, null]);
  await expect(client.listChanged(new Date(0), first.cursor)).rejects.toMatchObject({ kind: 'refused' });
});

test('a platform that does not keep what the supplier sent: its conversion is read, and answered', async () => {
  const added = { organization, invoice: { number: 'CV-1' }, missing: ['Original' as const] };
  const { flow } = await fake.platform.addInvoice(added);
  const { raw, document } = await client.fetchInvoice(flow.flowId);
  expect(normalizeAfnor(raw, await bytesOf(document?.stream)).number).toBe('CV-1');
  await client.sendFeedback(feedbackOn(flow.flowId));
  expect(fake.sent()).toMatchObject([{ verdict: { status: 'Ok' } }]);
});

test('a flow without any document, or of a type that the platform does not know yet, is tried again', async () => {
  fake.addFlow({ flowId: 'pending', acknowledgement: { status: 'Pending' } }, Buffer.alloc(0));
  await expect(client.fetchInvoice('pending')).rejects.toMatchObject({ kind: 'transient' });
  fake.platform.set({ missing: ['Original', 'Converted'] });
  await expect(client.fetchInvoice(fake.known)).rejects.toMatchObject({ kind: 'transient' });
});

test.each([
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

test('a platform may say what a flow is before it acknowledges it', () => {
  const flow = { flowId: 'f', flowSyntax: 'UBL', acknowledgement: { status: 'Pending' } };
  expect(normalizeAfnor(Buffer.from(JSON.stringify(flow)), ublInvoice()).providerStatus).toBe('Pending');
});

test('an unreadable syntax is unmappable, and so is a flow without its file; a refused document stays refused', () => {
  const flow = (flowSyntax: string) => Buffer.from(JSON.stringify({ flowId: 'f', flowSyntax }));
  const unmappable = expect.objectContaining({ code: 'unmappable' });
  expect(() => normalizeAfnor(flow('FRR'), ublInvoice({ number: 'X' }))).toThrow(unmappable);
  expect(() => normalizeAfnor(flow('UBL'), null)).toThrow(unmappable);
  const refused = expect.objectContaining({ code: 'document_refused' });
  expect(() => normalizeAfnor(flow('UBL'), Buffer.from('<!DOCTYPE x><x/>'))).toThrow(refused);
});
