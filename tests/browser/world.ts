import { pdfOf } from '@app/demo';
import { behaviours, eventually, type Receiver } from '@app/testing';
import { anInvoice, newAccount, provider, siren, siret } from '../e2e/invoicing.ts';
import {
  type Contractor,
  type Member,
  newCompany,
  newContractorOf,
  newReceiver,
  newTicket,
  ok,
  pdfForm,
} from '../e2e/platform.ts';
import { closeBrowser, closePages } from './browser.ts';

/** A client with one of everything, so that each page has something to show; and the paths of the console that show it. */
export type World = {
  client: Member;
  contractor: Contractor;
  ticket: string;
  invoice: string;
  endpoint: string;
  delivery: string;
  /** Equipment, and the place where it is. */
  place: string;
  equipment: string;
};

/** What people and other programs have written in a world. */
const plain = {
  place: 'Lyon Part-Dieu',
  equipment: 'Boiler 2',
  token: 'erp',
  endpoint: 'ERP',
  supplier: 'Fixit',
  invoice: 'F-1001',
  title: 'Heating is cold',
  description: 'Since Monday',
  note: 'The key is at the desk',
  quote: 'D-77',
  document: 'plan.pdf',
  canceled: 'Cancelled at once',
  reason: 'a mistake',
  invoiceFile: 'a.pdf',
  invoiceFields: {},
  pdf: (ticket: string) => pdfOf([['Invoice F-1001', `Ticket ${ticket}`, 'Total 120,00 EUR']]),
  answer: behaviours.ok,
};
export type Words = typeof plain;

/** Makes a world for all tests of a file, and passes it to `begin`. Closes tabs, browser and receiver after them. */
export function useWorld(begin: (world: World) => unknown, words: Words = plain): void {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await newReceiver();
    await begin(await newWorld(receiver, words));
  });
  afterEach(closePages);
  afterAll(async () => {
    await closeBrowser();
    await receiver.close();
  });
}

async function newWorld(receiver: Receiver, words: Words): Promise<World> {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  await ok(client.api(`PATCH /contractors/${contractor.id}`, { siret }));
  const [ticket, things] = await Promise.all([
    aTicket(client, contractor, words),
    aPlace(client, words),
    ok(client.ts('POST /api-tokens', { name: words.token })),
  ]);
  // Made after the ticket, so that it gets no event of what was done with it.
  const endpoint = await anEndpoint(client, receiver, words);
  const [invoice, delivery] = await Promise.all([anArrival(client, ticket, words), aDelivery(client, endpoint, words)]);
  return { client, contractor, ticket, invoice, endpoint: `/webhooks/${endpoint}`, delivery, ...things };
}

async function aPlace(client: Member, { place: name, equipment }: Words): Promise<Pick<World, 'place' | 'equipment'>> {
  const { location } = (await ok(client.api('POST /locations', { name }))).data;
  const facts = { location_id: location._id, make: 'Viessmann', warranty_until: '2020-12-31' };
  const made = await ok(client.api('POST /equipments', { name: equipment, ...facts }));
  return {
    place: `/settings/locations/${location._id}`,
    equipment: `/settings/equipments/${made.data.equipment._id}`,
  };
}

async function aTicket(client: Member, contractor: Contractor, words: Words): Promise<string> {
  const { title, description, note, quote, document } = words;
  const path = await newTicket(client, { title, description, priority: 'high' });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  await ok(client.api(`POST ${path}/notes`, { note, type: 'public' }));
  await ok(contractor.api(`POST ${path}/quotes`, pdfForm({ reference: quote, price: '950' })));
  await ok(client.api(`POST ${path}/documents`, pdfForm({}, 64, document)));
  await ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_order', reference: 'PO-1', amount: 950 }));
  return path;
}

async function anEndpoint(client: Member, receiver: Receiver, { endpoint, answer }: Words): Promise<string> {
  receiver.behave(answer, '/world');
  const body = { name: endpoint, url: receiver.url('/world'), events: ['ticket.status_changed'] };
  return (await ok(client.ts('POST /webhooks/endpoints', body))).data.id;
}

async function aDelivery(client: Member, endpoint: string, { canceled, reason }: Words): Promise<string> {
  const path = await newTicket(client, { title: canceled });
  await ok(client.api(`PUT ${path}/cancel`, { reason_cancel: reason }));
  const id = await eventually(async () => {
    const { items } = (await ok(client.ts(`GET /webhooks/endpoints/${endpoint}/deliveries`))).data;
    const [first] = items;
    if (!['succeeded', 'exhausted'].includes(first?.status)) throw new Error('the delivery has not ended');
    return first.id;
  });
  return `/webhooks/${endpoint}/deliveries/${id}`;
}

/** An invoice that names the ticket, with a PDF. */
async function anArrival(client: Member, ticket: string, words: Words): Promise<string> {
  const account = await newAccount(client);
  await ok(account.connect());
  const { number } = (await ok(client.api(`GET ${ticket}`))).data;
  const invoice = anInvoice({
    number: words.invoice,
    supplier: { name: words.supplier, siren, siret },
    references: { ticket: number },
    ...words.invoiceFields,
  });
  const document = { name: words.invoiceFile, type: 'application/pdf', base64: words.pdf(number).toString('base64') };
  await ok(provider()('POST /admin/invoices', { api_key: account.apiKey, notify: true, invoice, document }));
  return eventually(async () => {
    const [found] = [...(await account.queue()), ...(await account.inReview())];
    if (!found) throw new Error('nothing is in the queue');
    return `/invoices/${found.id}`;
  });
}
