import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '@app/testing';
import { linesOf, newJob, siren, siret } from './invoicing.ts';
import { caller, type Member, ok, stack } from './platform.ts';

/** Calls the admin API of the approved platform. @returns the answer's body */
export async function atPlatform(line: string, body: object) {
  return (await ok(caller(new URL(stack().approvedPlatform).origin)(line, body))).data;
}

/** Connects a client to the approved platform, which calls back from then on. @returns the client's organisation there */
export async function connectPlatform(client: Member): Promise<string> {
  const clientId = randomUUID();
  const clientSecret = randomBytes(24).toString('base64url');
  await atPlatform('POST /admin/clients', { clientId, clientSecret });
  const body = { provider: 'afnor', oauthClientId: clientId, oauthClientSecret: clientSecret };
  const { id } = (await ok(client.ts('POST /invoice-connections', body))).data;
  await eventually(async () => {
    const { data } = await ok(client.ts('GET /invoice-connections'));
    expect(data).toContainEqual(expect.objectContaining({ id, hasSubscription: true }));
  });
  return clientId;
}

/** Waits until an invoice of the contractor has arrived there and is on the ticket of its order. */
export async function matchedInvoice(client: Member, contractor: { id: string }, organization: string) {
  const [number, order] = ['FA', 'PO'].map((kind) => `${kind}-${randomBytes(4).toString('hex')}`);
  const { path } = await newJob(client, contractor, { reference: order as string, amount: 100 });
  const seller = { name: 'Fixit', siren, siret };
  const invoice = { number, order, seller, buyer: { siren: '356000000' } };
  const { callbacks } = await atPlatform('POST /admin/invoices', { organization, invoice });
  expect(callbacks).toMatchObject([{ status: 200 }]);
  return eventually(async () => {
    const [line] = await linesOf(client, path);
    if (!line) throw new Error(`${number} is on no ticket`);
    return { id: line.invoice_id, path, number: line.reference };
  });
}

/** The platform refuses the next message that contains the text. */
export async function refuseOnce(match: string): Promise<void> {
  const refusal = { reasonCode: 'InvoiceLCStatusError', reasonMessage: 'not on a Sunday' };
  await atPlatform('POST /admin/rejections', { ...refusal, match, times: 1 });
}
