import { eventually, hostileDocuments } from '@app/testing';
import { atPlatform, connectPlatform } from '../approved-platform.ts';
import { type Account, anInvoice, type Invoice, newBuyer, ok } from '../invoicing.ts';
import { type Member, newCompany } from '../platform.ts';

/**
 * The longest that another company may wait for an answer meanwhile, beside what a service without documents takes to answer: less than
 * the 3 s that a document may take.
 */
const answerMs = 2_000;

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
  const organization = await connectPlatform(client);
  const syntax = document.subarray(0, 5).toString() === '%PDF-' ? 'Factur-X' : 'UBL';
  const given = { syntax, base64: document.toString('base64') };
  const { flow, callbacks } = await atPlatform('POST /admin/invoices', { organization, document: given });
  expect(callbacks).toMatchObject([{ status: 200 }]);
  return { client, externalId: flow.flowId };
}

/** Waits until the invoice is in review or in the queue. */
async function resting({ client, externalId }: { client: Member; externalId: string }): Promise<Invoice> {
  return eventually(async () => {
    const lists = ['/invoices', '/invoices/in-review'].map((path) => ok(client.ts(`GET ${path}`)));
    const items: Invoice[] = (await Promise.all(lists)).flatMap(({ data }) => data.items);
    const found = items.find((one) => one.externalId === externalId);
    expect(found).toBeDefined();
    return found as Invoice;
  });
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
      // At once: what holds the whole machine up holds both up.
      const [wait, reference] = await Promise.all([timeOf('GET /invoices'), timeOf('GET /auth/session')]);
      waits.push(wait);
      elsewhere.push(reference);
    } while (!rests);
    // A busy machine delays both services.
    expect(Math.max(...waits)).toBeLessThan(answerMs + Math.max(...elsewhere));
    await arrived;
    // However costly the document is: it is read in time, or refused with a reason.
    const { id, state } = await invoice;
    const { data } = await ok(hostile.client.ts(`GET /invoices/${id}`));
    if (state === 'error') expect(data.error.code).toMatch(/^(unmappable|document_refused)$/);
    else expect([state, data.externalId]).toEqual(['ticket_unmatched', hostile.externalId]);
  },
);
