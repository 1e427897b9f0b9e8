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
  invoiceIds: string[];
};

export type StoredInvoice = { id: string; externalId: string; state: string };

const readersAtOnce = 8;

/** Every ticket of a company with what is on it, read back through the API. */
export async function readTickets({ client }: Account): Promise<StoredTicket[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await read(client, `/tickets?limit=200${cursor ? `&cursor=${cursor}` : ''}`);
    ids.push(...(page['tickets'] as { _id: string }[]).map(({ _id }) => _id));
    cursor = page['cursor'] as string | null;
  }
  return inParallel(ids, (id) => readTicket(client, id));
}

async function readTicket(client: Client, id: string): Promise<StoredTicket> {
  const ticket = await read(client, `/tickets/${id}`);
  const { notes } = await read(client, `/tickets/${id}/notes`);
  const { documents } = await read(client, `/tickets/${id}/documents?limit=200`);
  return {
    id,
    title: ticket['title'] as string,
    status: ticket['status'] as string,
    notes: (notes as { note: string }[]).map(({ note }) => note),
    documents: documents as StoredTicket['documents'],
    purchases: ticket['purchases'] as StoredTicket['purchases'],
    invoiceIds: (ticket['invoices'] as { invoice_id: string }[]).map(({ invoice_id }) => invoice_id),
  };
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
