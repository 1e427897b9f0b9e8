import { subscribableEvents } from '@app/contracts';
import type { Actors } from './actors.ts';
import { check, ok, say, step } from './print.ts';
import type { DemoReceiver } from './webhook-receiver.ts';

const quotePdf = `%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n% a quote for the demo\n%%EOF\n`;
const pdf = (name: string) => new File([quotePdf], name);

/** The client subscribes its HTTPS endpoint, and tests it. */
export async function subscribe({ operator }: Actors, receiver: DemoReceiver): Promise<void> {
  step('The client subscribes its HTTPS endpoint to every ticket event');
  const body = { name: 'purchasing', url: receiver.url, events: subscribableEvents };
  const { id, secret } = await ok(operator.POST('/webhooks/endpoints', { body }));
  receiver.addSecret(secret);
  const test = await ok(operator.POST('/webhooks/endpoints/{id}/test', { params: { path: { id } } }));
  check(test.success, 'the test event arrived and was answered 2xx');
}

/** Recommended flow, step 4: the supplier number is a custom field of the contractor. */
export async function addContractors({ purchasing, first, second }: Actors): Promise<{ fixit: string; slow: string }> {
  step('The purchasing system keeps its supplier number in a custom field of the contractor');
  const name = { fr: 'N° fournisseur', en: 'Supplier number' };
  const { custom_field } = await ok(purchasing.POST('/api/v3.0/custom-fields', { body: { name } }));
  const fields = [{ field_id: custom_field._id, value: 'SUP-4711' }];
  const fixit = await ok(
    purchasing.POST('/api/v3.0/contractors', {
      body: { name: 'Fixit Plumbing', siret: '35600000009075', company_id: first.id, fields },
    }),
  );
  const slow = await ok(
    purchasing.POST('/api/v3.0/contractors', { body: { name: 'Slow Repairs', company_id: second.id } }),
  );
  step('Both contractors say that this client may share its tickets with them');
  for (const [contractor, { _id: contractor_id }] of [
    [first, fixit],
    [second, slow],
  ] as const) {
    const params = { path: { contractor_id } };
    await ok(contractor.api.PUT('/api/v3.0/clients/requests/{contractor_id}', { params }));
  }
  const params = { path: { contractor_id: fixit._id } };
  const read = await ok(purchasing.GET('/api/v3.0/contractors/{contractor_id}', { params }));
  check(read.fields[0]?.value === 'SUP-4711', 'the supplier number is read back from `fields`');
  return { fixit: fixit._id, slow: slow._id };
}

/** A ticket from its creation to a validated quote. Returns its id. */
export async function createValidatedTicket(
  { purchasing, first, second }: Actors,
  ids: { fixit: string; slow: string },
): Promise<string> {
  step('A ticket is opened and proposed to two contractors; one declines, one accepts');
  const address = { city: 'Lyon', postalCode: '69003' };
  const { location } = await ok(purchasing.POST('/api/v3.0/locations', { body: { name: 'Headquarters', address } }));
  const { ticket_id } = await ok(
    purchasing.POST('/api/v3.0/tickets', {
      body: { title: 'Leak on the 2nd floor', priority: 'high', location_ids: [location._id] },
    }),
  );
  const params = { path: { ticket_id } };
  const contractor_ids = [ids.fixit, ids.slow];
  await ok(purchasing.POST('/api/v3.0/tickets/{ticket_id}/propose', { params, body: { contractor_ids } }));
  await ok(second.api.POST('/api/v3.0/tickets/{ticket_id}/decline', { params, body: { reason: 'no time' } }));
  const accepted = await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/accept', { params }));
  check(accepted.status === 'waiting_contractor', 'the ticket has its contractor');

  step('The contractor visits and quotes; the client validates the quote');
  const visit = { start: Date.now() + 3_600_000, end: Date.now() + 7_200_000, category: 'visit' } as const;
  for (const type of ['planned', 'actual'] as const) {
    await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/dates', { params, body: { ...visit, type } }));
  }
  const given = { reference: 'D-2026-118', price: '1234.56', file: pdf('devis.pdf') };
  const { quote } = await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/quotes', { params, body: given }));
  const path = { ticket_id, quote_id: quote._id };
  await ok(purchasing.PUT('/api/v3.0/tickets/{ticket_id}/quotes/{quote_id}/validate', { params: { path } }));
  return ticket_id;
}

/** Recommended flow, steps 1 to 3: what the purchasing system reads. Returns the id of the validated quote. */
export async function readForPurchasing({ purchasing, client }: Actors, ticket_id: string): Promise<string> {
  step('Daily: list `status=validated`, keep validated quotes, de-duplicate on quotes[]._id');
  const { tickets } = await ok(purchasing.GET('/api/v3.0/tickets', { params: { query: { status: ['validated'] } } }));
  const quotes = new Map(
    tickets.flatMap((ticket) => ticket.quotes.filter((quote) => quote.validated)).map((quote) => [quote._id, quote]),
  );
  check(quotes.size === 1, 'one quote raises one purchase request');
  check(tickets[0]?.validated_by?._id === client.user, 'the requester is the ticket’s `validated_by`');

  step('Weekly catch-up: `updated_after` seven days ago, read quotes[].validated_at');
  const since = { query: { updated_after: String(Date.now() - 7 * 86_400_000) } };
  const weekly = await ok(purchasing.GET('/api/v3.0/tickets', { params: since }));
  check(Boolean(weekly.tickets[0]?.quotes[0]?.validated_at), '`validated_at` is there');

  step('The quote’s file: by `download_url`, and by the download link of its s3_key');
  const path = { ticket_id };
  const read = await ok(purchasing.GET('/api/v3.0/tickets/{ticket_id}', { params: { path } }));
  const [quote] = read.quotes;
  const query = { s3_key: quote?.s3_key ?? '' };
  const link = await ok(
    purchasing.GET('/api/v3.0/tickets/{ticket_id}/documents/download-link', { params: { path, query } }),
  );
  for (const url of [quote?.download_url, link.download_url]) {
    const file = await fetch(String(url), { headers: { range: 'bytes=0-7' } });
    say(`→ GET ${String(url).slice(0, 60)}… (bytes 0-7)`);
    check(file.status === 206 && (await file.text()) === '%PDF-1.4', 'the signed link serves the PDF, by range');
  }
  return [...quotes.keys()][0] as string;
}

/** Scheduling ends `validated`; the work is done, reported and discussed. */
export async function finishWork({ purchasing, first }: Actors, ticket_id: string): Promise<void> {
  step('The work is scheduled: `validated` ends, `validated_at` stays');
  const params = { path: { ticket_id } };
  const work = { start: Date.now() + 3_600_000, end: Date.now() + 7_200_000 };
  await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/dates', { params, body: { ...work, type: 'planned' } }));
  const daily = await ok(purchasing.GET('/api/v3.0/tickets', { params: { query: { status: ['validated'] } } }));
  check(daily.tickets.length === 0, 'the daily list is empty again');

  step('The work is done, reported and discussed');
  await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/dates', { params, body: { ...work, type: 'actual' } }));
  await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/reports', { params, body: { file: pdf('reports.pdf') } }));
  await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/documents', { params, body: { file: pdf('documents.pdf') } }));
  const notes = [
    { note: 'Valve replaced.', type: 'public' },
    { note: 'Bring the long ladder next time.', type: 'internal' },
  ] as const;
  for (const body of notes) await ok(first.api.POST('/api/v3.0/tickets/{ticket_id}/notes', { params, body }));
}

/** The ticket is closed, and reopened. */
export async function closeAndReopen({ purchasing }: Actors, ticket_id: string): Promise<void> {
  step('The ticket is closed, and reopened');
  const params = { path: { ticket_id } };
  const closed = await ok(purchasing.PUT('/api/v3.0/tickets/{ticket_id}/close', { params }));
  check(closed.status === 'closed', 'the ticket is closed');
  const opened = await ok(purchasing.POST('/api/v3.0/tickets/{ticket_id}/open', { params }));
  check(opened.status === 'opened', 'and opened again');
}
