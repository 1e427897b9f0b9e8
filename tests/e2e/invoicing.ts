import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '@app/testing';
import type { AxiosResponse } from 'axios';
import { type Call, type Contractor, caller, type Member, newContractorOf, newTicket, ok, stack } from './platform.ts';

export { ok } from './platform.ts';

/** The SIRET of every contractor here, and the SIREN in it: each client has a directory of its own. */
export const siret = '73282932000074';
export const siren = siret.slice(0, 9);
export const webhookPath = '/webhooks/invoice-providers/sandbox';

export type Invoice = {
  id: string;
  externalId: string;
  state: string;
  ticket: string | null;
  supplierId?: string;
  flags: string[];
  reasons: string[];
  suggestions: { ticketId: string; viewId: string; number: string; score: number; reasons: string[] }[];
  history: { from: string | null; to: string; reason: string | null }[];
  feedback: { outcome: string; result: string } | null;
  conclusion: { outcome: string; reason: string; invoiceId: string | null } | null;
};
type Feedback = { invoiceId: string; outcome: string; ticket: { id: string }; changed: boolean };
export type Line = { _id: string; invoice_id: string; reference: string; price: string };

/** Acts as the provider towards the platform. */
export const provider = (): Call => caller(stack().providerSandbox);

/** A client with an account at the sandbox provider. */
export type Account = Awaited<ReturnType<typeof newAccount>>;

/** @param keys those of an account that the client had before */
export async function newAccount(client: Member, keys = newKeys()) {
  const { apiKey, secret } = keys;
  await ok(
    provider()('POST /admin/accounts', {
      api_key: apiKey,
      client_id: client.companyId,
      webhook_url: `${stack().tsApi}${webhookPath}`,
      webhook_secret: secret,
    }),
  );
  const list = async (path: string): Promise<Invoice[]> => (await ok(client.ts(`GET ${path}?limit=200`))).data.items;
  const queue = () => list('/invoices');
  return {
    client,
    apiKey,
    secret,
    /** Connects the client through the gateway. @returns the response */
    connect: (more: object = {}): Promise<AxiosResponse> =>
      client.ts('POST /invoice-connections', { provider: 'sandbox', apiKey, webhookSecret: secret, ...more }),
    /** Adds or changes an invoice; sends a webhook if `notify`. @returns its id at the provider */
    async put(
      fields: object,
      { notify = true, document }: { notify?: boolean; document?: object } = {},
    ): Promise<string> {
      const stored = await ok(
        provider()('POST /admin/invoices', { api_key: apiKey, invoice: fields, notify, document }),
      );
      const { webhook, invoice } = stored.data;
      if (notify && webhook.status !== 202) throw new Error(`the webhook was answered ${JSON.stringify(webhook)}`);
      return invoice.id;
    },
    /** The bytes and headers of a webhook as the provider signs it. */
    signed(externalIds: string[]): { body: string; headers: Record<string, string> } {
      const events = externalIds.map((invoiceId) => ({ invoiceId }));
      const body = JSON.stringify({ clientId: client.companyId, events });
      return { body, headers: signatureOf(body, secret) };
    },
    post,
    feedback: async (): Promise<Feedback[]> =>
      (await ok(provider()(`GET /admin/feedback?api_key=${apiKey}`))).data.items,
    queue,
    /** The invoices in review. */
    inReview: (): Promise<Invoice[]> => list('/invoices/in-review'),
    /** Waits until that invoice stands in the queue. */
    queued: (externalId: string): Promise<Invoice> =>
      eventually(async () => {
        const found = (await queue()).find((one) => one.externalId === externalId);
        if (!found) throw new Error(`${externalId} is not in the queue`);
        return found;
      }),
    read: async (id: string): Promise<Invoice> => (await ok(client.ts(`GET /invoices/${id}`))).data,
  };
}

function newKeys(): { apiKey: string; secret: string } {
  return { apiKey: `key-${randomBytes(12).toString('hex')}`, secret: `secret-${randomBytes(12).toString('hex')}` };
}

/** Posts raw bytes, as JSON unless `headers` says otherwise. */
function post(body: string, headers: Record<string, string>): Promise<AxiosResponse> {
  const json = { 'content-type': 'application/json' };
  return caller(stack().tsApi)(`POST ${webhookPath}`, Buffer.from(body), { ...json, ...headers });
}

export function signatureOf(body: string, secret: string): Record<string, string> {
  return { 'x-sandbox-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}

/** A client, a contractor whose SIREN invoices carry, and an account at the provider that is not connected yet. */
export async function newBuyer(client: Member): Promise<{ account: Account; contractor: Contractor }> {
  const contractor = await newContractorOf(client);
  await ok(client.api(`PATCH /contractors/${contractor.id}`, { siret }));
  return { contractor, account: await newAccount(client) };
}

/** A ticket that the contractor works on, with an order if a reference is given. */
export async function newJob(
  client: Member,
  contractor: { id: string },
  order?: { reference: string; amount?: number },
): Promise<{ path: string; id: string }> {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  // Repeated as docs/api.md asks of integrators: a busy machine may answer 504, and no order is made twice.
  const create = () => ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_order', ...order }));
  if (order) await eventually(create);
  return { path, id: path.split('/')[2] as string };
}

/** An invoice of today in the sandbox provider's form; 100 without VAT by default. */
export function anInvoice(given: object = {}): object {
  return {
    number: `FA-${randomUUID().slice(0, 13)}`,
    issue_date: new Date().toISOString().slice(0, 10),
    currency: 'EUR',
    supplier: { name: 'Fixit', siren, siret },
    amounts: { ht: '100.00', tva: '20.00', ttc: '120.00' },
    vat_breakdown: [{ rate: '0.20', base: '100.00', amount: '20.00' }],
    ...given,
  };
}

export async function linesOf(member: Member, path: string): Promise<Line[]> {
  return (await ok(member.api(`GET ${path}`))).data.invoices;
}
