import type { Account } from '../load/accounts.ts';
import type { Client } from '../load/client.ts';

/** What the API says is there, of one ticket. */
export type StoredTicket = {
  id: string;
  title: string;
  status: string;
  notes: string[];
  documents: { _id: string; name: string; hash: string; kind: string; s3_key: string }[];
  purchases: { _id: string; reference: string }[];
  quotes: { _id: string; reference: string; isValidated: boolean }[];
  /** When interventions are planned, ISO dates. */
  dates: string[];
  /** What PATCH has written. */
  edits: string[];
  invoiceIds: string[];
  /** Each change of status as a company sees it, `from>to`, the oldest first. */
  moves: Record<Side, string[]>;
};

export type Side = 'client' | 'contractor';

export type StoredInvoice = { id: string; externalId: string; state: string; ticket: string | null };

const readersAtOnce = 8;

/** Every ticket of a company with what is on it, read back through the API. */
export async function readTickets(account: Account): Promise<StoredTicket[]> {
  const { client } = account;
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await read(client, `/tickets?limit=200${cursor ? `&cursor=${cursor}` : ''}`);
    ids.push(...(page['tickets'] as { _id: string }[]).map(({ _id }) => _id));
    cursor = page['cursor'] as string | null;
  }
  return inParallel(ids, (id) => readTicket(account, id));
}

async function readTicket({ client, contractor }: Account, id: string): Promise<StoredTicket> {
  const ticket = await read(client, `/tickets/${id}`);
  const { notes } = await read(client, `/tickets/${id}/notes`);
  const { documents } = await read(client, `/tickets/${id}/documents?limit=200`);
  const purchases = ticket['purchases'] as { _id: string; reference: string; source_system: string | null }[];
  return {
    id,
    title: ticket['title'] as string,
    status: ticket['status'] as string,
    notes: (notes as { note: string }[]).map(({ note }) => note),
    documents: documents as StoredTicket['documents'],
    purchases,
    quotes: (ticket['quotes'] as Quote[]).map(({ _id, reference, validated_at }) => ({
      _id,
      reference,
      isValidated: validated_at !== null,
    })),
    dates: ticket['intervention_scheduled_at'] as string[],
    edits: [ticket['description'] as string, ...purchases.map((one) => one.source_system)].filter(Boolean) as string[],
    invoiceIds: (ticket['invoices'] as { invoice_id: string }[]).map(({ invoice_id }) => invoice_id),
    moves: { client: await readMoves(client, id), contractor: await readMoves(contractor, id) },
  };
}

type Quote = { _id: string; reference: string; validated_at: string | null };
type HistoryItem = { from: string | null; to: string | null };

/** None if the company does not see the ticket: it was never assigned. */
async function readMoves(client: Client, id: string): Promise<string[]> {
  const outcome = await client({ line: `GET /tickets/${id}/history?limit=200`, isRepeatable: true });
  if (outcome !== 'unknown' && outcome.status === 404) return [];
  const { items } = await read(client, `/tickets/${id}/history?limit=200`);
  return (items as HistoryItem[]).filter(({ to }) => to !== null).map(({ from, to }) => `${from}>${to}`);
}

/** What the load has made in a company besides tickets: names of endpoints, e-mail addresses and first names of users. */
export async function readCompanyNames({ ts }: Account): Promise<string[]> {
  const endpoints = (await read(ts, '/webhooks/endpoints'))['items'] as { name: string; events: string[] }[];
  const names = endpoints.filter(({ events }) => events.length === 1).map(({ name }) => name);
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await read(ts, `/company/users?limit=200${cursor ? `&cursor=${cursor}` : ''}`);
    const users = (page['items'] as { email: string; first_name: string }[]).filter(({ email }) =>
      email.startsWith('user-'),
    );
    names.push(...users.flatMap(({ email, first_name }) => [email, ...(first_name === 'Ada' ? [] : [first_name])]));
    cursor = page['nextCursor'] as string | null;
  }
  return names;
}

export async function readInvoices({ ts }: Account, ids: string[]): Promise<StoredInvoice[]> {
  return inParallel(ids, async (id) => (await read(ts, `/invoices/${id}`)) as StoredInvoice);
}

/** The invoices that wait for a person. */
export async function readWaiting({ ts }: Account): Promise<StoredInvoice[]> {
  const lists = await Promise.all(['', '/in-review'].map((path) => read(ts, `/invoices${path}?limit=200`)));
  return lists.flatMap(({ items }) => items as StoredInvoice[]);
}

/** Deliveries of an endpoint that did not arrive, and whether it is still on. */
export async function readUndelivered(client: Client, endpointId: string): Promise<string[]> {
  const { items: endpoints } = await read(client, '/webhooks/endpoints');
  const endpoint = (endpoints as { id: string; active: boolean }[]).find(({ id }) => id === endpointId);
  const lists = await Promise.all(
    ['pending', 'exhausted'].map((status) =>
      read(client, `/webhooks/endpoints/${endpointId}/deliveries?status=${status}&limit=100`),
    ),
  );
  const left = lists.flatMap(({ items }) => items as { id: string; status: string; nextAttemptAt: string | null }[]);
  return [
    ...(endpoint?.active !== true ? [`the endpoint ${endpointId} is not active`] : []),
    ...left.map(({ id, status, nextAttemptAt }) => `delivery ${id} is ${status}, due ${nextAttemptAt}`),
  ];
}

export async function read(client: Client, path: string): Promise<Record<string, unknown>> {
  const outcome = await client({ line: `GET ${path}`, isRepeatable: true });
  if (outcome === 'unknown') throw new Error(`GET ${path} has no answer`);
  if (outcome.status !== 200) throw new Error(`GET ${path} was answered ${outcome.status}`);
  return outcome.data;
}

export async function inParallel<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: readersAtOnce }, worker));
  return results;
}
