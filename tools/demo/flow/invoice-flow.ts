import { randomBytes } from 'node:crypto';
import type { TicketApi, TicketSchemas, TsSchemas } from '@app/api-client';
import type { Actors } from './actors.ts';
import type { DemoProvider } from './demo-provider.ts';
import { check, ok, step, until } from './print.ts';
import type { DemoReceiver } from './webhook-receiver.ts';

type Run = { actors: Actors; provider: DemoProvider; ticketId: string; apiKey: string };

/** The supplier of all three: the SIREN is that of the contractor in the client's directory. */
const supplier = { name: 'Fixit Plumbing', siren: '356000000', siret: '35600000009075' };
const ordered = { ht: '1234.56', tva: '246.91', ttc: '1481.47' };
const callOut = { ht: '180.00', tva: '36.00', ttc: '216.00' };

/** Three invoices from an AP provider: one is matched by itself, one linked by a person, one is a duplicate. */
export async function receiveInvoices(actors: Actors, ticketId: string, provider: DemoProvider): Promise<void> {
  const apiKey = randomBytes(12).toString('hex');
  const run = { actors, provider, ticketId, apiKey };
  const connection = await connect(run);
  await matchesByItself(run);
  await linkedByHand(run);
  await duplicateIsHeld(run);
  await feedback(run);
  step('Disconnected, the provider is neither polled nor listened to any more');
  const params = { path: { id: connection } };
  const { response } = await actors.operator.DELETE('/invoice-connections/{id}', { params });
  check(response.status === 204, 'the connection is gone');
}

async function connect({ actors: { operator, client, tsApi }, provider, apiKey }: Run): Promise<string> {
  step('The client connects its AP provider, here the sandbox: key and secret go in, and never come out');
  const secret = randomBytes(24).toString('hex');
  const webhook_url = `${tsApi}/webhooks/invoice-providers/sandbox`;
  const account = { api_key: apiKey, client_id: client.id, webhook_url, webhook_secret: secret };
  await provider.admin('POST /admin/accounts', account);
  const body = { provider: 'sandbox', apiKey, webhookSecret: secret };
  const connection = await ok(operator.POST('/invoice-connections', { body }));
  check(connection.hasCredentials && connection.hasWebhookSecret, 'it has both');
  check(![apiKey, secret].some((one) => JSON.stringify(connection).includes(one)), 'and shows neither');
  return connection.id;
}

/** Adds an invoice at the provider, which sends a signed webhook to the platform. Returns the provider's id. */
async function deliver({ provider, apiKey }: Run, fields: object): Promise<string> {
  const added = await provider.admin('POST /admin/invoices', { api_key: apiKey, invoice: fields, notify: true });
  check((added['webhook'] as { status: number }).status === 202, 'the platform accepted the signed webhook');
  return (added['invoice'] as { id: string }).id;
}

async function matchesByItself(run: Run): Promise<void> {
  const { actors, ticketId } = run;
  step('The first invoice names the order: it is matched without a person');
  await deliver(run, invoice('FA-2026-0101', ordered, { purchase_order: 'BC 2026 0042' }));
  const [line] = await until(
    () => lines(actors.purchasing, ticketId),
    (all) => all.length > 0,
  );
  check(line?.reference === 'FA-2026-0101' && line.price === '1234.56', 'it is a line of the ticket, without VAT');
  check((await lines(actors.first.api, ticketId)).length === 1, 'its contractor sees it too');
  check((await queue(run)).length === 0, 'nobody had to do anything: the queue is empty');
}

async function linkedByHand(run: Run): Promise<void> {
  const { actors, ticketId } = run;
  const { operator, purchasing } = actors;
  step('The second one is for a call-out that nobody ordered: it waits for a person, with suggestions');
  const params = { path: { ticket_id: ticketId } };
  const { number } = await ok(purchasing.GET('/api/v3.0/tickets/{ticket_id}', { params }));
  await deliver(run, invoice('FA-2026-0102', callOut, { ticket: number }));
  const [waiting] = await until(
    () => queue(run),
    (all) => all.some(({ suggestions }) => suggestions.length > 0),
  );
  const [best] = waiting?.suggestions ?? [];
  check(best?.ticketId === ticketId, `the ticket is suggested: ${best?.reasons.join('; ')}`);
  const id = waiting?.id ?? '';
  const body = { ticketId, viewId: best?.viewId ?? '' };
  await ok(operator.POST('/invoices/{id}/link', { params: { path: { id } }, body }));
  check((await lines(purchasing, ticketId)).length === 2, 'linked by hand, it is on the ticket right after the answer');
  check((await queue(run)).length === 0, 'and the queue is empty again');
}

async function duplicateIsHeld(run: Run): Promise<void> {
  const { actors, ticketId } = run;
  step('The third one is the first one again, under another id and written otherwise: it is held back');
  const externalId = await deliver(run, invoice('fa 2026 0101', ordered, { purchase_order: 'BC-2026-0042' }));
  const [held] = await until(
    async () => (await ok(actors.operator.GET('/invoices/in-review'))).items,
    (all) => all.length > 0,
  );
  check(held?.externalId === externalId, 'it waits for review, not in the queue');
  const read = await readInvoice(actors, held?.id ?? '');
  check(read.state === 'manual_review', 'its state is `manual_review`');
  check(read.reasons.join() === 'duplicate_suspected', 'and it says why');
  check((await queue(run)).length === 0, 'it is not in the queue');
  check((await lines(actors.purchasing, ticketId)).length === 2, 'and not on the ticket');
}

async function feedback({ actors, provider, apiKey, ticketId }: Run): Promise<void> {
  step('The provider got one feedback for each linked invoice');
  const items = await until(
    async () => (await provider.admin(`GET /admin/feedback?api_key=${apiKey}`))['items'] as FeedbackItem[],
    (all) => all.length >= 2,
  );
  check(
    items.length === 2 && items.every(({ outcome, ticket }) => outcome === 'taken_in_charge' && ticket.id === ticketId),
    'two invoices are taken in charge, with their ticket; the third one is not',
  );
  for (const { invoice_id } of await lines(actors.purchasing, ticketId)) {
    const read = await until(
      () => readInvoice(actors, invoice_id),
      ({ state }) => state === 'done',
    );
    check(read.history.length > 3, 'it is done, and its history says how it came there');
  }
}

type FeedbackItem = { outcome: string; ticket: { id: string } };

/** The client's endpoint received one event for each of the two linked invoices. */
export function checkInvoiceEvents({ events }: DemoReceiver): void {
  const added = events.filter(({ event }) => event === 'ticket.invoice_added');
  const references = added.map(({ data }) => (data['invoice'] as { reference: string }).reference);
  check(references.sort().join() === 'FA-2026-0101,FA-2026-0102', '`ticket.invoice_added` arrived once for each');
}

function invoice(number: string, amounts: typeof ordered, references: object): object {
  const vat_breakdown = [{ rate: '0.20', base: amounts.ht, amount: amounts.tva }];
  const issue_date = new Date().toISOString().slice(0, 10);
  return { number, issue_date, currency: 'EUR', supplier, amounts, vat_breakdown, references };
}

async function lines(api: TicketApi, ticket_id: string): Promise<TicketSchemas['TicketInvoice'][]> {
  return (await ok(api.GET('/api/v3.0/tickets/{ticket_id}', { params: { path: { ticket_id } } }))).invoices;
}

async function queue({ actors: { operator } }: Run): Promise<TsSchemas['QueuedInvoice'][]> {
  return (await ok(operator.GET('/invoices'))).items;
}

function readInvoice({ operator }: Actors, id: string): Promise<TsSchemas['Invoice']> {
  return ok(operator.GET('/invoices/{id}', { params: { path: { id } } }));
}
