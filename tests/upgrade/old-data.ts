import { eventually } from '@app/testing';
import type { Keys } from '../../tools/start/settings/keys.ts';
import { anInvoice, linesOf, newBuyer, ok } from '../e2e/invoicing.ts';
import {
  type Contractor,
  type Credentials,
  type Member,
  newCompany,
  newTicket,
  pdfForm,
  subscribe,
} from '../e2e/platform.ts';

/** What the fixture holds, and what one has to know to go on with it. Keys and passwords were made for it. */
export type OldData = {
  commit: string;
  madeAt: string;
  keys: Keys;
  client: Credentials & { apiToken: string };
  contractor: Credentials & { id: string };
  account: { apiKey: string; secret: string };
  /** Its receiver did not answer: what it was to get waits for a retry. */
  endpoint: { id: string; secret: string };
  /** `validated`: with a quote that an order with a file names, neither planned nor done. */
  validated: { path: string; quoteId: string; orderId: string; reference: string };
  /** A ticket with the line of an invoice that was matched. */
  invoiced: { path: string; line: { invoice_id: string; reference: string } };
  /** In the queue: an operator is to link it to this ticket. */
  queued: { id: string; path: string };
  /** Held back as a duplicate. */
  inReview: { id: string };
};

/** Where the endpoint of the old data is: nobody listens there. A test puts the address of its receiver in its place. */
export const silentReceiver = 'https://127.0.0.1:1/old';

/** The main flow of the platform, left in the middle: by its public APIs, on whatever version is running. */
export async function makeOldData(): Promise<Omit<OldData, 'commit' | 'madeAt' | 'keys'>> {
  const client = await newCompany('client');
  const { contractor, account } = await newBuyer(client);
  const { token } = (await ok(client.ts('POST /api-tokens', { name: 'purchasing' }))).data;
  const endpoint = await subscribe(client, { url: () => silentReceiver });
  const validated = await validatedTicket(client, contractor);
  await ok(account.connect());

  const invoiced = await newTicket(client);
  await ok(client.api(`POST ${invoiced}/assign`, { contractor_id: contractor.id }));
  const order = { kind: 'purchase_order', reference: 'PO-INVOICED', amount: 100 };
  await ok(client.api(`POST ${invoiced}/purchases`, order));
  const references = { purchase_order: order.reference };
  await account.put(anInvoice({ number: 'FA-OLD-1', references }));
  const line = await eventually(async () => {
    const [found] = await linesOf(client, invoiced);
    if (!found || (await account.read(found.invoice_id)).state !== 'done') throw new Error('it is not done yet');
    return { invoice_id: found.invoice_id, reference: found.reference };
  });
  await account.put(anInvoice({ number: 'fa old 1', references }));
  const inReview = await eventually(async () => {
    const [found] = await account.inReview();
    if (!found) throw new Error('nothing is in review');
    return { id: found.id };
  });

  const waiting = await newTicket(client, { title: 'Call-out' });
  await ok(client.api(`POST ${waiting}/assign`, { contractor_id: contractor.id }));
  const { number } = (await ok(client.api(`GET ${waiting}`))).data;
  const externalId = await account.put(anInvoice({ number: 'FA-OLD-2', references: { ticket: number } }));
  const queued = await eventually(async () => {
    const found = await account.queued(externalId);
    if (found.suggestions.length === 0) throw new Error('it has no suggestion yet');
    return { id: found.id, path: waiting };
  });
  return {
    client: { ...credentialsOf(client), apiToken: token },
    contractor: { ...credentialsOf(contractor), id: contractor.id },
    account: { apiKey: account.apiKey, secret: account.secret },
    endpoint: { id: endpoint.id, secret: endpoint.secret },
    ...{ validated, queued, inReview },
    invoiced: { path: invoiced, line },
  };
}

async function validatedTicket(client: Member, contractor: Contractor): Promise<OldData['validated']> {
  const path = await newTicket(client, { title: 'Cold room too warm' });
  await ok(client.api(`POST ${path}/propose`, { contractor_ids: [contractor.id] }));
  await ok(contractor.api(`POST ${path}/accept`));
  const { quote } = (await ok(contractor.api(`POST ${path}/quotes`, pdfForm({ reference: 'D-1', price: '500' })))).data;
  await ok(client.api(`PUT ${path}/quotes/${quote._id}/validate`));
  const reference = 'PO-OLD';
  const order = { kind: 'purchase_order', reference, quote_id: quote._id, amount: 500 };
  const { purchase } = (await ok(client.api(`POST ${path}/purchases`, order))).data;
  await ok(client.api(`POST ${path}/purchases/${purchase.id}/document`, pdfForm({}, 64, 'order.pdf')));
  return { path, quoteId: quote._id, orderId: purchase.id, reference };
}

function credentialsOf({ companyId, userId, email, password }: Member): Credentials {
  return { companyId, userId, email, password };
}
