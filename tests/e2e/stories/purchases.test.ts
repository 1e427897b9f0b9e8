import { randomUUID } from 'node:crypto';
import { eventually, type Receiver } from '@app/testing';
import type { AxiosResponse } from 'axios';
import {
  bodiesAt,
  type Contractor,
  caller,
  type Member,
  newCompany,
  newContractorOf,
  newReceiver,
  newTicket,
  pdfForm,
  subscribe,
} from '../platform.ts';

type Purchase = { _id: string; id?: string; kind: string; reference: string; s3_key: string | null };

let receiver: Receiver;
let client: Member;
let contractor: Contractor;
beforeAll(async () => {
  receiver = await newReceiver();
  client = await newCompany('client');
  contractor = await newContractorOf(client);
});
afterAll(() => receiver.close());

const order = (more: object = {}) => ({ kind: 'purchase_order', reference: randomUUID(), ...more });
const post = (ticket: string, body: object) => client.api(`POST ${ticket}/purchases`, body);
const idOf = ({ data }: AxiosResponse): string => data.purchase.id;
const purchasesOf = async (ticket: string, member: Member = client): Promise<Purchase[]> =>
  (await member.api(`GET ${ticket}`)).data.purchases;
const listedPurchases = async (ticket: string): Promise<Purchase[]> => {
  const { tickets } = (await client.api('GET /tickets?limit=200')).data;
  return tickets.find(({ _id }: { _id: string }) => ticket.endsWith(_id)).purchases;
};

test('new data is known at once: the ticket, its contractor, its quote', async () => {
  for (let round = 0; round < 2; round++) {
    const ticket = await newTicket(client);
    expect((await post(ticket, order())).data).toMatchObject({
      created: true,
      purchase: { supplier_company_id: null },
    });
    await client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id });
    expect((await post(ticket, order())).data.purchase.supplier_company_id).toBe(contractor.companyId);
    const { quote } = (await contractor.api(`POST ${ticket}/quotes`, pdfForm({ reference: 'D', price: '5' }))).data;
    expect((await post(ticket, order({ quote_id: quote._id }))).status).toBe(201);
  }
});

test('every write is read at once, in the list and on the ticket', async () => {
  const ticket = await newTicket(client);
  await client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id });
  for (const amount of [0.1, 999_999_999.99]) {
    const id = idOf(await post(ticket, order({ amount, source_system: 'ERP' })));
    const own = async () =>
      [...(await purchasesOf(ticket)), ...(await listedPurchases(ticket))].filter(({ _id }) => _id === id);
    expect(await own()).toEqual(
      [1, 2].map(() => expect.objectContaining({ _id: id, amount, source: 'app', s3_key: null, editable: true })),
    );
    await client.api(`PATCH ${ticket}/purchases/${id}`, { source_system: null });
    expect(await own()).toEqual([1, 2].map(() => expect.objectContaining({ source_system: null })));
    const attached = await client.api(`POST ${ticket}/purchases/${id}/document`, pdfForm({}, 64, 'commande.pdf'));
    const key = expect.stringMatching(/^[\w-]{43}$/);
    expect(await own()).toEqual(
      [1, 2].map(() => expect.objectContaining({ s3_key: key, document_id: attached.data.purchase.document_id })),
    );
    const { documents } = (await client.api(`GET ${ticket}/documents`)).data;
    expect(documents).toContainEqual(
      expect.objectContaining({ _id: attached.data.purchase.document_id, kind: 'purchase_order' }),
    );
    expect((await client.api(`DELETE ${ticket}/purchases/${id}`)).status).toBe(204);
    expect(await own()).toEqual([]);
    expect((await client.api(`GET ${ticket}/documents`)).data.documents).toEqual(documents);
  }
});

test('an order and its file are for its buyer and its supplier; requests and receipts for the buyer alone', async () => {
  const competitor = await newContractorOf(client);
  const ticket = await newTicket(client);
  await client.api(`POST ${ticket}/propose`, { contractor_ids: [contractor.id, competitor.id] });
  await contractor.api(`POST ${ticket}/accept`);
  const ids: Record<string, string> = {};
  for (const kind of ['purchase_request', 'purchase_order', 'goods_receipt']) {
    ids[kind] = idOf(await post(ticket, { kind, reference: 'R-1' }));
    await client.api(`POST ${ticket}/purchases/${ids[kind]}/document`, pdfForm({}, 64, `${kind}.pdf`));
  }
  expect((await purchasesOf(ticket)).map(({ kind }) => kind).sort()).toEqual([
    'goods_receipt',
    'purchase_order',
    'purchase_request',
  ]);
  expect(await purchasesOf(ticket, contractor)).toEqual([
    expect.objectContaining({ _id: ids['purchase_order'], editable: false }),
  ]);
  const [shared] = await purchasesOf(ticket, contractor);
  const link = await contractor.api(`GET ${ticket}/documents/download-link?s3_key=${shared?.s3_key}`);
  expect((await caller('')(`GET ${link.data.download_url}`)).status).toBe(200);
  for (const { kind, s3_key } of await purchasesOf(ticket)) {
    const asked = await contractor.api(`GET ${ticket}/documents/download-link?s3_key=${s3_key}`);
    expect([kind, asked.status]).toEqual([kind, kind === 'purchase_order' ? 200 : 404]);
  }
  const documents = async (member: Member) =>
    (await member.api(`GET ${ticket}/documents`)).data.documents.map(({ kind }: Purchase) => kind);
  expect(await documents(contractor)).toEqual(['purchase_order']);
  const refused = await Promise.all(
    Object.values(ids).map((id) => contractor.api(`PATCH ${ticket}/purchases/${id}`, { amount: 1 })),
  );
  expect(refused.map(({ status, data }) => `${status} ${data.code}`).sort()).toEqual([
    '403 purchase_no_access',
    '404 purchase_not_found',
    '404 purchase_not_found',
  ]);
  expect((await competitor.api(`GET ${ticket}`)).data.purchases).toEqual([]);
});

test('subscribers get one event for each new document: the buyer for all, the supplier for orders, with their files', async () => {
  const ticket = await newTicket(client);
  await client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id });
  const buyerPath = `/${randomUUID()}`;
  const supplierPath = `/${randomUUID()}`;
  await subscribe(client, receiver, buyerPath);
  await subscribe(contractor, receiver, supplierPath);
  for (const kind of ['purchase_request', 'purchase_order', 'goods_receipt']) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(ticket, { kind, reference: 'P-7', amount: 12.5 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    await client.api(
      `POST ${ticket}/purchases/${idOf(answers[0] as AxiosResponse)}/document`,
      pdfForm({}, 64, `${kind}.pdf`),
    );
  }
  const receivedAt = (path: string) =>
    bodiesAt(receiver, path)
      .filter(({ event }) => event !== 'ticket.status_changed')
      .map(
        ({ event, data }) =>
          `${event} ${(data['purchase'] as Purchase)?.kind ?? (data['document'] as { name: string }).name}`,
      )
      .sort();
  const expectedEvents = (kind: string) => [`ticket.document_added ${kind}.pdf`, `ticket.purchase_added ${kind}`];
  await eventually(() =>
    expect(receivedAt(buyerPath)).toEqual(
      ['goods_receipt', 'purchase_order', 'purchase_request'].flatMap(expectedEvents).sort(),
    ),
  );
  await eventually(() => expect(receivedAt(supplierPath)).toEqual(expectedEvents('purchase_order')));
  const { data } = bodiesAt(receiver, supplierPath).find(({ event }) => event === 'ticket.purchase_added') ?? {};
  expect(data).toEqual({
    ticket: { id: ticket.split('/')[2], number: expect.any(String), title: 'Leak' },
    purchase: {
      id: expect.any(String),
      kind: 'purchase_order',
      reference: 'P-7',
      source_system: null,
      quote_id: null,
      purchase_order_id: null,
      date: expect.any(String),
      amount: 12.5,
      includes_vat: false,
      buyer_company_id: client.companyId,
      supplier_company_id: contractor.companyId,
      supplier_contractor_id: contractor.id,
      created_at: expect.any(String),
    },
  });
});
