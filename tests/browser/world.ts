import { pdfOf } from '@app/sandbox-provider';
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
};

/** Makes a world for all tests of a file, and passes it to `begin`. Closes tabs, browser and receiver after them. */
export function useWorld(begin: (world: World) => unknown): void {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await newReceiver();
    await begin(await newWorld(receiver));
  });
  afterEach(closePages);
  afterAll(async () => {
    await closeBrowser();
    await receiver.close();
  });
}

async function newWorld(receiver: Receiver): Promise<World> {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  await ok(client.api(`PATCH /contractors/${contractor.id}`, { siret }));
  const [ticket] = await Promise.all([
    aTicket(client, contractor),
    ok(client.api('POST /locations', { name: 'Lyon Part-Dieu' })),
    ok(client.ts('POST /api-tokens', { name: 'erp' })),
  ]);
  // Made after the ticket, so that it gets no event of what was done with it.
  const endpoint = await anEndpoint(client, receiver);
  const [invoice, delivery] = await Promise.all([anArrival(client, ticket), aDelivery(client, endpoint)]);
  return { client, contractor, ticket, invoice, endpoint: `/webhooks/${endpoint}`, delivery };
}

async function aTicket(client: Member, contractor: Contractor): Promise<string> {
  const path = await newTicket(client, { title: 'Heating is cold', description: 'Since Monday', priority: 'high' });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  await ok(client.api(`POST ${path}/notes`, { note: 'The key is at the desk', type: 'public' }));
  await ok(contractor.api(`POST ${path}/quotes`, pdfForm({ reference: 'D-77', price: '950' })));
  await ok(client.api(`POST ${path}/documents`, pdfForm({}, 64, 'plan.pdf')));
  await ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_order', reference: 'PO-1', amount: 950 }));
  return path;
}

async function anEndpoint(client: Member, receiver: Receiver): Promise<string> {
  receiver.behave(behaviours.ok, '/world');
  const body = { name: 'ERP', url: receiver.url('/world'), events: ['ticket.status_changed'] };
  return (await ok(client.ts('POST /webhooks/endpoints', body))).data.id;
}

async function aDelivery(client: Member, endpoint: string): Promise<string> {
  const path = await newTicket(client, { title: 'Cancelled at once' });
  await ok(client.api(`PUT ${path}/cancel`, { reason_cancel: 'a mistake' }));
  const id = await eventually(async () => {
    const { items } = (await ok(client.ts(`GET /webhooks/endpoints/${endpoint}/deliveries`))).data;
    const [first] = items;
    if (first?.status !== 'succeeded') throw new Error('nothing was delivered');
    return first.id;
  });
  return `/webhooks/${endpoint}/deliveries/${id}`;
}

/** An invoice that names the ticket, with a PDF. */
async function anArrival(client: Member, ticket: string): Promise<string> {
  const account = await newAccount(client);
  await ok(account.connect());
  const { number } = (await ok(client.api(`GET ${ticket}`))).data;
  const invoice = anInvoice({
    number: 'F-1001',
    supplier: { name: 'Fixit', siren, siret },
    references: { ticket: number },
  });
  const file = pdfOf([['Invoice F-1001', `Ticket ${number}`, 'Total 120,00 EUR']]).toString('base64');
  const document = { name: 'a.pdf', type: 'application/pdf', base64: file };
  await ok(provider()('POST /admin/invoices', { api_key: account.apiKey, notify: true, invoice, document }));
  return eventually(async () => {
    const [found] = [...(await account.queue()), ...(await account.inReview())];
    if (!found) throw new Error('nothing is in the queue');
    return `/invoices/${found.id}`;
  });
}
