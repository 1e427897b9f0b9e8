import { createHmac, randomUUID } from 'node:crypto';
import { eventually, hostileDocuments } from '@app/testing';
import { type Account, anInvoice, type Invoice, newBuyer, ok } from '../invoicing.ts';
import { caller, type Member, newCompany, stack } from '../platform.ts';

/** The longest that another company may wait for an answer meanwhile, beside what a service without documents takes to answer. */
const answerMs = 1_000;
const secret = 'shared secret of the webhooks';

let other: Member;
let account: Account;
beforeAll(async () => {
  other = await newCompany('client');
  ({ account } = await newBuyer(other));
  expect((await account.connect()).status).toBe(201);
});

/** Makes the platform fetch this document for a new company. @returns the company and the invoice's id at its provider */
async function receive(document: Buffer): Promise<{ client: Member; externalId: string }> {
  const client = await newCompany('client');
  const connection = { provider: 'afnor', apiKey: 'key', webhookSecret: secret };
  expect((await client.ts('POST /invoice-connections', connection)).status).toBe(201);
  const externalId = randomUUID();
  await ok(caller(String(process.env['FLOWS_URL']))(`PUT /flows/${externalId}`, document));
  const body = JSON.stringify({ clientId: client.companyId, events: [{ invoiceId: externalId }] });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-afnor-signature': signature };
  await ok(caller(stack().tsApi)('POST /webhooks/invoice-providers/afnor', Buffer.from(body), headers));
  return { client, externalId };
}

/** Waits until the invoice is in review or in the queue. */
async function resting({ client, externalId }: { client: Member; externalId: string }): Promise<Invoice> {
  return eventually(async () => {
    const lists = ['/invoices', '/invoices/in-review'].map((path) => ok(client.ts(`GET ${path}`)));
    const items: Invoice[] = (await Promise.all(lists)).flatMap(({ data }) => data.items);
    const found = items.find((one) => one.externalId === externalId);
    expect(found).toBeDefined();
    return found as Invoice;
  }, 45_000);
}

async function timeOf(line: string): Promise<number> {
  const askedAt = performance.now();
  await ok(other.ts(line));
  return performance.now() - askedAt;
}

test.each(Object.entries(hostileDocuments))(
  '%s: another company is answered meanwhile, its invoice arrives, and the document comes to rest',
  async (_what, make) => {
    const hostile = await receive(make());
    let rests = false;
    const invoice = resting(hostile).finally(() => {
      rests = true;
    });
    const arrived = account.put(anInvoice()).then(account.queued);
    const [waits, elsewhere]: [number[], number[]] = [[], []];
    do {
      waits.push(await timeOf('GET /invoices'));
      elsewhere.push(await timeOf('GET /auth/session'));
    } while (!rests);
    // A busy machine delays both services.
    expect(Math.max(...waits)).toBeLessThan(answerMs + 4 * Math.max(...elsewhere));
    await arrived;
    // However costly the document is: it is read in time, or refused with a reason.
    const { id, state } = await invoice;
    const { data } = await ok(hostile.client.ts(`GET /invoices/${id}`));
    if (state === 'error') expect(data.error.code).toMatch(/^(unmappable|document_refused)$/);
    else expect([state, data.externalId]).toEqual(['ticket_unmatched', hostile.externalId]);
  },
);
