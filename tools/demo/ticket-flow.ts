import { publicName, webhookEventTypes } from '@app/contracts';
import type { Actors } from './actors.ts';
import { check, say, step } from './print.ts';
import type { DemoReceiver } from './webhook-receiver.ts';

type Quote = { _id: string; validated: boolean; validated_at: string | null; s3_key: string; download_url?: string };
type Ticket = { _id: string; status: string; quotes: Quote[]; validated_by: { _id: string } | null };

const quotePdf = `%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n% a quote for the demo\n%%EOF\n`;
const ticketEvents = webhookEventTypes.map(({ type }) => publicName(type));

/** The client subscribes its HTTPS endpoint, and tests it. */
export async function subscribe({ operator }: Actors, receiver: DemoReceiver): Promise<void> {
  step('The client subscribes its HTTPS endpoint to every ticket event');
  const endpoint = await operator('POST /webhooks/endpoints', {
    name: 'purchasing',
    url: receiver.url,
    events: ticketEvents,
  });
  receiver.addSecret(String(endpoint.body['secret']));
  const test = await operator(`POST /webhooks/endpoints/${endpoint.body['id']}/test`);
  check(test.body['success'] === true, 'the test event arrived and was answered 2xx');
}

/** Recommended flow, step 4: the supplier number is a custom field of the contractor. */
export async function addContractors({ purchasing, first, second }: Actors): Promise<{ fixit: string; slow: string }> {
  step('The purchasing system keeps its supplier number in a custom field of the contractor');
  const field = await purchasing('POST /custom-fields', { name: { fr: 'N° fournisseur', en: 'Supplier number' } });
  const field_id = (field.body['custom_field'] as { _id: string })._id;
  const fixit = await purchasing('POST /contractors', {
    name: 'Fixit Plumbing',
    siret: '35600000009075',
    company_id: first.id,
    fields: [{ field_id, value: 'SUP-4711' }],
  });
  const slow = await purchasing('POST /contractors', { name: 'Slow Repairs', company_id: second.id });
  const read = await purchasing(`GET /contractors/${fixit.body['_id']}`);
  check(
    (read.body['fields'] as { value: string }[])[0]?.value === 'SUP-4711',
    'the supplier number is read back from `fields`',
  );
  return { fixit: String(fixit.body['_id']), slow: String(slow.body['_id']) };
}

/** A ticket from its creation to a validated quote. */
export async function createValidatedTicket(
  { purchasing, first, second }: Actors,
  ids: { fixit: string; slow: string },
): Promise<string> {
  step('A ticket is opened and proposed to two contractors; one declines, one accepts');
  const location = await purchasing('POST /locations', {
    name: 'Headquarters',
    address: { city: 'Lyon', postalCode: '69003' },
  });
  const location_ids = [(location.body['location'] as { _id: string })._id];
  const created = await purchasing('POST /tickets/', {
    title: 'Leak on the 2nd floor',
    priority: 'high',
    location_ids,
  });
  const path = `/tickets/${created.body['ticket_id']}`;
  await purchasing(`POST ${path}/propose`, { contractor_ids: [ids.fixit, ids.slow] });
  await second.api(`POST ${path}/decline`, { reason: 'no time' });
  const accepted = await first.api(`POST ${path}/accept`);
  check(accepted.body['status'] === 'waiting_contractor', 'the ticket has its contractor');

  step('The contractor visits and quotes; the client validates the quote');
  const [start, end] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
  await first.api(`POST ${path}/dates`, { start, end, type: 'planned', category: 'visit' });
  await first.api(`POST ${path}/dates`, { start, end, type: 'actual', category: 'visit' });
  const form = new FormData();
  form.append('reference', 'D-2026-118');
  form.append('price', '1234.56');
  form.append('file', new Blob([quotePdf]), 'devis.pdf');
  const quoted = await first.api(`POST ${path}/quotes`, form);
  await purchasing(`PUT ${path}/quotes/${(quoted.body['quote'] as Quote)._id}/validate`);
  return path;
}

/** Recommended flow, steps 1 to 3: what the purchasing system reads. Returns the id of the validated quote. */
export async function readForPurchasing({ purchasing, client }: Actors, path: string): Promise<string> {
  step('Daily: list `status=validated`, keep validated quotes, de-duplicate on quotes[]._id');
  const daily = await purchasing('GET /tickets?status=validated');
  const tickets = daily.body['tickets'] as Ticket[];
  const quotes = new Map(
    tickets.flatMap(({ quotes }) => quotes.filter(({ validated }) => validated)).map((quote) => [quote._id, quote]),
  );
  check(quotes.size === 1, 'one quote raises one purchase request');
  check(tickets[0]?.validated_by?._id === client.user, 'the requester is the ticket’s `validated_by`');

  step('Weekly catch-up: `updated_after` seven days ago, read quotes[].validated_at');
  const weekly = await purchasing(`GET /tickets?updated_after=${Date.now() - 7 * 86_400_000}`);
  check(Boolean((weekly.body['tickets'] as Ticket[])[0]?.quotes[0]?.validated_at), '`validated_at` is there');

  step('The quote’s file: by `download_url`, and by the download link of its s3_key');
  const { quotes: read } = (await purchasing(`GET ${path}`)).body as unknown as Ticket;
  const link = await purchasing(`GET ${path}/documents/download-link?s3_key=${read[0]?.s3_key}`);
  for (const url of [read[0]?.download_url, link.body['download_url']]) {
    const file = await fetch(String(url), { headers: { range: 'bytes=0-7' } });
    say(`→ GET ${String(url).slice(0, 60)}… (bytes 0-7)`);
    check(file.status === 206 && (await file.text()) === '%PDF-1.4', 'the signed link serves the PDF, by range');
  }
  return [...quotes.keys()][0] as string;
}

/** Scheduling ends `validated`; the work is done, reported and discussed. */
export async function finishWork({ purchasing, first }: Actors, path: string): Promise<void> {
  step('The work is scheduled: `validated` ends, `validated_at` stays');
  const [start, end] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
  await first.api(`POST ${path}/dates`, { start, end, type: 'planned' });
  const daily = await purchasing('GET /tickets?status=validated');
  check((daily.body['tickets'] as Ticket[]).length === 0, 'the daily list is empty again');

  step('The work is done, reported and discussed');
  await first.api(`POST ${path}/dates`, { start, end, type: 'actual' });
  for (const kind of ['reports', 'documents']) {
    const form = new FormData();
    form.append('file', new Blob([quotePdf]), `${kind}.pdf`);
    await first.api(`POST ${path}/${kind}`, form);
  }
  await first.api(`POST ${path}/notes`, { note: 'Valve replaced.', type: 'public' });
  await first.api(`POST ${path}/notes`, { note: 'Bring the long ladder next time.', type: 'internal' });
}

/** The ticket is closed, and reopened. */
export async function closeAndReopen({ purchasing }: Actors, path: string): Promise<void> {
  step('The ticket is closed, and reopened');
  const closed = await purchasing(`PUT ${path}/close`);
  check(closed.body['status'] === 'closed', 'the ticket is closed');
  const opened = await purchasing(`POST ${path}/open`);
  check(opened.body['status'] === 'opened', 'and opened again');
}
