import type { ProviderHttp } from '../http/http-client.ts';
import { identifier, type Json, latest, pageEntries, record, text } from '../parsing/json.ts';
import type { ChangedPage, ListedChange } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';

/** The most that the standard allows; a platform may give less at once, and says so in its answer. */
const pageLimit = 100;

type Call = { http: ProviderHttp; signal: AbortSignal | undefined };

/**
 * Incoming supplier invoices. A platform that pages says where the next page begins, and its order is its own: the cursor is
 * `page <last change so far> <theirs>`, and only the last page has a watermark. One that does not page lists in the order of the
 * last change; a full page is then followed by one that begins a millisecond before its last change (`after <time>`),
 * because `updatedAfter` is exclusive: its first flows may be the last ones of the page before.
 */
export async function listChanged(call: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const [, kind, time = '', theirs = null] = /^(page|after) (\S+)(?: (.*))?$/s.exec(cursor ?? '') ?? [];
  const after = kind === 'after' ? new Date(time) : since;
  const { flows, next, isFull, answeredAt } = await search(call, after, theirs);
  const watermark = latest([...flows.map((flow) => flow['updatedAt']), ...(kind === 'page' ? [time] : [])]);
  const page = { changes: flows.flatMap((flow) => changeOf(flow)), watermark, answeredAt };
  if (next !== null) {
    return { ...page, watermark: null, cursor: `page ${watermark?.toISOString() ?? '-'} ${next}` };
  }
  if (!isFull || kind === 'page') return { ...page, cursor: null };
  if (watermark !== null && watermark > after) return { ...page, cursor: `after ${watermark.toISOString()}` };
  throw new ProviderError(
    'refused',
    `the provider changed ${flows.length} flows in one moment and gives no more at once: the others can't be listed`,
  );
}

async function search({ http, signal }: Call, after: Date, cursor: string | null) {
  const where = {
    updatedAfter: millisecondBefore(after).toISOString(),
    flowType: ['SupplierInvoice'],
    flowDirection: ['In'],
  };
  const body = { limit: pageLimit, where, ...(cursor === null ? {} : { cursor }) };
  const { answer, answeredAt } = await http.dated({ method: 'post', path: ['flows', 'search'], body, signal });
  const { results, nextCursor, limit } = record(answer);
  const flows = pageEntries(results);
  const given = typeof limit === 'number' && limit > 0 ? Math.min(limit, pageLimit) : pageLimit;
  return { flows, next: text(nextCursor), isFull: flows.length >= given, answeredAt };
}

/** Some platforms ignore a filter, so flows that are no incoming invoices are skipped here. */
function changeOf(flow: Json): ListedChange[] {
  const id = identifier(flow['flowId']);
  const other = (text(flow['flowType']) ?? 'SupplierInvoice') !== 'SupplierInvoice' || flow['flowDirection'] === 'Out';
  return id === null || other ? [] : [{ externalId: id, deleted: false, changedAt: latest([flow['updatedAt']]) }];
}

function millisecondBefore(moment: Date): Date {
  return new Date(moment.getTime() - 1);
}
