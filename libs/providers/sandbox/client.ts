import { createProviderHttp, type ProviderHttp, parseJson } from '../http/http-client.ts';
import { identifier, latest, pageEntries, record, text } from '../parsing/json.ts';
import type {
  ChangedPage,
  ClientOptions,
  Feedback,
  FeedbackResult,
  FetchedInvoice,
  ProviderClient,
} from '../provider.ts';
import { ProviderError, partOf } from '../provider-error.ts';

const pageLimit = 100;
/** The end is kept: it has the file extension. */
const maxNameLength = 200;

/** The client of the sandbox's API (tools/demo/sandbox-provider/README.md). */
export function connectSandbox(options: ClientOptions): ProviderClient {
  const http = createProviderHttp(options);
  return {
    fetchInvoice: (externalId, signal) => fetchInvoice(http, externalId, signal),
    async listChanged(since, cursor, signal) {
      const query = { updated_after: since.toISOString(), cursor, limit: pageLimit };
      const { answer, answeredAt } = await http.dated({ path: ['invoices'], query, signal });
      return { ...pageOf(answer), answeredAt };
    },
    sendFeedback: (feedback, signal) => sendFeedback(http, feedback, signal),
  };
}

async function fetchInvoice(http: ProviderHttp, id: string, signal?: AbortSignal): Promise<FetchedInvoice> {
  const raw = await http.bytes({ path: ['invoices', id], signal });
  const name = text(record(record(parseJson(raw))['document'])['name']);
  if (name === null) return { raw, document: null };
  return {
    raw,
    document: await partOf(http.document({ path: ['invoices', id, 'document'], signal }, name.slice(-maxNameLength))),
  };
}

function pageOf(answer: unknown): Omit<ChangedPage, 'answeredAt'> {
  const { items, next_cursor } = record(answer);
  const entries = pageEntries(items).filter((item) => identifier(item['id']) !== null);
  return {
    changes: entries.map((item) => ({
      externalId: identifier(item['id']) as string,
      deleted: item['deleted'] === true,
      changedAt: latest([item['updated_at']]),
    })),
    cursor: text(next_cursor),
    watermark: latest(entries.map((item) => item['updated_at'])),
  };
}

async function sendFeedback(
  http: ProviderHttp,
  feedback: Feedback,
  signal: AbortSignal | undefined,
): Promise<FeedbackResult> {
  const { externalId, outcome, ticket, poRef, details } = feedback;
  const { reason: code, note: reason } = details;
  const body = { outcome, ticket, po_ref: poRef, ...(outcome === 'refused' && { refusal: { code, reason } }) };
  try {
    await http.bytes({ method: 'post', path: ['invoices', externalId, 'feedback'], body, signal });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
    if (error.code === 'already_in_status') return { state: 'accepted' };
    // After an earlier attempt whose response was lost, the transition is invalid because it has happened.
    if (error.code !== 'invalid_transition' || (await statusOf(http, externalId, signal)) !== outcome) throw error;
  }
  return { state: 'accepted' };
}

async function statusOf(http: ProviderHttp, id: string, signal?: AbortSignal): Promise<string | null> {
  return text(record(await http.json({ path: ['invoices', id], signal }))['status']);
}
