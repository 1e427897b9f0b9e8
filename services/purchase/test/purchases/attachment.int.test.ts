import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { purchaseChanged, purchaseFileAttached } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, signAs } from '@app/testing';
import type { FakeTicket } from '../fake-ticket-service.ts';
import { anOrder, type Client, type File, outcome, pdf, usePurchases } from '../purchase-service.ts';

const mib = 1024 * 1024;
const pdfOf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 'x')]);
const named = (content: Buffer, name = 'order.pdf', field = 'file'): File => ({ name, content, field });

const service = usePurchases();
let buyer: Client;
let ticket: FakeTicket;
let id: string;

beforeEach(async () => {
  buyer = service.as();
  ticket = service.tickets.add(buyer.id);
  id = (await buyer.create(ticket.id)).data.purchase.id;
});

const records = () => service.connection.collection('uploads').countDocuments();

test('an attached file is stored once, published, and pushed to the Documents tab', async () => {
  const supplier = newId();
  ticket.contractor = { contractor_id: newId(), company_id: supplier };
  const order = (await buyer.create(ticket.id, { amount: 5 })).data.purchase;
  const colleague = service.as({ companyId: buyer.id });
  const { status, data } = await colleague.attach(ticket.id, order.id);
  const { document_id, updated_at } = data.purchase;
  expect([status, data]).toEqual([
    200,
    { purchase: { ...order, document_id: expect.any(String), updated_at, updated_by: colleague.caller.userId } },
  ]);

  const { purchase, document } = service.tickets.pushed.at(-1) ?? {};
  expect(document).toEqual({
    id: document_id,
    ticket_id: ticket.id,
    purchase_id: order.id,
    kind: 'purchase_order',
    buyer_company_id: buyer.id,
    supplier_company_id: supplier,
    added_at: updated_at,
    file: {
      key: purchase?.s3_key,
      name: pdf.name,
      type: 'application/pdf',
      size: pdf.content.length,
      hash: createHash('sha256').update(pdf.content).digest('hex'),
    },
  });
  expect(purchase).toMatchObject({ id: order.id, version: 2, document_id });
  expect(await buffer(await service.storage.get(purchase?.s3_key as string))).toEqual(pdf.content);
  await eventually(() => {
    const published = service.published(purchaseFileAttached).filter(({ data }) => data.document.id === document_id);
    expect(published.map(({ data }) => data.document)).toEqual([document]);
    const changed = service.published(purchaseChanged).map(({ data }) => data.purchase);
    expect(changed).toContainEqual(purchase);
  });
  expect(await records()).toBe(0);
});

test('a new file replaces the one before, which stays stored', async () => {
  const before = await service.files();
  const first = (await buyer.attach(ticket.id, id)).data.purchase;
  const png = named(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]), 'bon.png');
  const second = (await buyer.attach(ticket.id, id, [png])).data.purchase;
  expect(second.document_id).not.toBe(first.document_id);
  const keys = service.tickets.pushed.slice(-2).map(({ document }) => document?.file.key as string);
  for (const key of keys) expect(await service.storage.stat(key)).not.toBeNull();
  expect([await service.files(), await records()]).toEqual([before + 2, 0]);
});

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
test.each([
  ['PDF', pdf.content, 'application/pdf'],
  ['PNG', png, 'image/png'],
  ['JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
])('a %s is recognized by its bytes, whatever its name', async (_type, content, type) => {
  expect((await buyer.attach(ticket.id, id, [named(content, 'x.txt')])).status).toBe(200);
  expect(service.tickets.pushed.at(-1)?.document?.file.type).toBe(type);
});

test('a PDF that begins with a blank line is taken, and so is a text field beside it', async () => {
  const content = Buffer.concat([Buffer.from('\n'), pdf.content]);
  const { status } = await buyer.attach(ticket.id, id, [named(content, 'order.html')], { comment: 'signed' });
  expect([status, service.tickets.pushed.at(-1)?.document?.file.name]).toEqual([200, 'order.html.pdf']);
});

test('a file of exactly 20 MiB passes', async () => {
  expect((await buyer.attach(ticket.id, id, [named(pdfOf(20 * mib))])).status).toBe(200);
});

test.each([
  ['no file', () => buyer.attach(ticket.id, id, []), [400, 'purchase_file_required']],
  ['no form', () => buyer.call('post', `${ticket.id}/purchases/${id}/document`, {}), [400, 'purchase_file_required']],
  [
    'a PDF that is the body itself',
    () => buyer.call('post', `${ticket.id}/purchases/${id}/document`, pdfOf(2 * mib)),
    [400, 'purchase_file_required'],
  ],
  ['two files', () => buyer.attach(ticket.id, id, [pdf, pdf]), [400, 'purchase_file_required']],
  [
    'another field',
    () => buyer.attach(ticket.id, id, [{ ...pdf, field: 'document' }]),
    [400, 'purchase_file_required'],
  ],
  [
    'a byte over 20 MiB',
    () => buyer.attach(ticket.id, id, [named(pdfOf(20 * mib + 1))]),
    [413, 'purchase_file_limit_file_size'],
  ],
  ['a text called .pdf', () => buyer.attach(ticket.id, id, [named(Buffer.from('hello'))]), [415, 'purchase_file_type']],
  ['an empty file', () => buyer.attach(ticket.id, id, [named(Buffer.alloc(0))]), [415, 'purchase_file_type']],
] as const)('%s is refused, and leaves nothing behind', async (_what, send, expected) => {
  const before = await service.files();
  expect(outcome(await send())).toEqual(expected);
  await eventually(async () => expect([await service.files(), await records()]).toEqual([before, 0]));
  const [stored] = await service.stored({ _id: id });
  expect([stored?.version, stored?.document_id]).toEqual([1, null]);
});

test('a connection cut in the middle of a file leaves nothing behind', async () => {
  const before = await service.files();
  const { authorization } = await signAs(buyer.caller);
  const { hostname, port } = new URL(service.baseURL);
  const socket = connect(Number(port), hostname);
  socket.write(
    [
      `POST /api/v3.0/tickets/${ticket.id}/purchases/${id}/document HTTP/1.1`,
      `host: x\r\nauthorization: ${authorization}`,
      'content-type: multipart/form-data; boundary=b\r\ncontent-length: 10000000\r\n',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n',
    ].join('\r\n'),
  );
  socket.write(pdfOf(3 * mib));
  await eventually(async () => expect([await service.files(), await records()]).toEqual([before + 1, 1]));
  socket.destroy();
  await eventually(async () => expect([await service.files(), await records()]).toEqual([before, 0]));
});

test('a document deleted during the upload takes no file, and the file goes', async () => {
  const before = await service.files();
  const slow = service.tickets;
  slow.asked = async () => {
    slow.asked = async () => {};
    await buyer.remove(ticket.id, id);
  };
  expect(outcome(await buyer.attach(ticket.id, id))).toEqual([404, 'purchase_not_found']);
  expect([await service.files(), await records()]).toEqual([before, 0]);
});

test.each([
  ['canceled', [409, 'purchase_ticket_state_forbidden']],
  ['removed', [404, 'purchase_ticket_not_found']],
])('a ticket that is %s during the upload takes no file, and the file goes', async (status, expected) => {
  const before = await service.files();
  let questions = 0;
  service.tickets.asked = async () => {
    questions += 1;
    ticket.views.set(buyer.id, { view_id: newId(), role: 'client', state: 'client', status });
  };
  expect(outcome(await buyer.attach(ticket.id, id))).toEqual(expected);
  service.tickets.asked = async () => {};
  expect([questions, await service.files(), await records()]).toEqual([2, before, 0]);
  expect((await service.stored({ _id: id }))[0]?.document_id).toBeNull();
});

test('an attachment and a change at the same time both count', async () => {
  const receipt = (await buyer.create(ticket.id, anOrder('goods_receipt'))).data.purchase.id;
  await Promise.all([
    buyer.attach(ticket.id, receipt),
    ...[1, 2, 3, 4].map((amount) => buyer.patch(ticket.id, receipt, { amount })),
  ]);
  const [stored] = await service.stored({ _id: receipt });
  expect([stored?.version, stored?.document_id, stored?.amount]).toEqual([6, expect.any(String), expect.any(Number)]);
});
