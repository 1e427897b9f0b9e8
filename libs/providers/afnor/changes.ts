import type { ProviderHttp } from '../http/http-client.ts';
import { identifier, type Json, latest, pageEntries, record, text } from '../parsing/json.ts';
import type { ChangedPage, ListedChange } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';

/** The most that the standard allows; a platform may give less at once. */
const pageLimit = 100;

type Call = { http: ProviderHttp; signal: AbortSignal | undefined };

/**
 * Incoming supplier invoices. A platform that pages says where the next page begins, and its order is its own: the cursor is
 * `page <last change so far> <theirs>`, and only the last page has a watermark. One that does not page lists in the order of the
 * last change, and how many flows it gives at once may be its secret. A page is followed by one that begins at its last change
 * (`after <time> <flows of the page>/<those of that moment>`): its first flows are the last ones of the page before. If it gives no
 * later change, it is the end if it is shorter than the page before, and full if it gives more of that moment. Else `past <time>`
 * looks for later flows; if there are any, `again <time>` tells whether they came meanwhile.
 */
export async function listChanged(call: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const [, kind, time = '', theirs = null] = /^(page|after|past|again) (\S+)(?: (.*))?$/s.exec(cursor ?? '') ?? [];
  const isPaged = kind === 'page';
  const after = kind === undefined || isPaged ? since : new Date(time);
  const from = kind === 'past' ? new Date(after.getTime() + 1) : after;
  const { flows, next, isFull, answeredAt } = await search(call, from, isPaged ? theirs : null);
  const watermark = latest([...flows.map((flow) => flow['updatedAt']), ...(isPaged ? [time] : [])]);
  const page = { changes: flows.flatMap((flow) => changeOf(flow)), watermark, answeredAt };
  if (next !== null) {
    return { ...page, watermark: null, cursor: `page ${watermark?.toISOString() ?? '-'} ${next}` };
  }
  if (isPaged) return { ...page, cursor: null };
  if (kind === 'past') {
    return { changes: [], watermark: after, answeredAt, cursor: flows.length > 0 ? `again ${time}` : null };
  }
  if (watermark !== null && watermark > after) {
    const last = flows.filter((flow) => momentOf(flow) === watermark.getTime()).length;
    return { ...page, cursor: `after ${watermark.toISOString()} ${flows.length}/${last}` };
  }
  const [before = 0, ofMoment = Number.POSITIVE_INFINITY] = theirs?.split('/').map(Number) ?? [];
  if (isFull || kind === 'again' || (flows.length >= before && flows.length > ofMoment)) {
    throw new ProviderError(
      'refused',
      `the provider changed ${flows.length} flows in one moment and gives no more at once: the others can't be listed`,
    );
  }
  const isEnd = watermark === null || flows.length < before;
  return { ...page, cursor: isEnd ? null : `past ${after.toISOString()}` };
}

/** Some platforms ignore a filter: earlier flows are skipped. */
async function search({ http, signal }: Call, from: Date, cursor: string | null) {
  const where = {
    // Exclusive.
    updatedAfter: new Date(from.getTime() - 1).toISOString(),
    flowType: ['SupplierInvoice'],
    flowDirection: ['In'],
  };
  const body = { limit: pageLimit, where, ...(cursor === null ? {} : { cursor }) };
  const { answer, answeredAt } = await http.dated({ method: 'post', path: ['flows', 'search'], body, signal });
  const { results, nextCursor, limit } = record(answer);
  const given = pageEntries(results);
  const flows = given.filter((flow) => momentOf(flow) >= from.getTime());
  const most = typeof limit === 'number' && limit > 0 ? Math.min(limit, pageLimit) : pageLimit;
  return { flows, next: text(nextCursor), isFull: given.length >= most, answeredAt };
}

/** Some platforms ignore a filter, so flows that are no incoming invoices are skipped here. */
function changeOf(flow: Json): ListedChange[] {
  const id = identifier(flow['flowId']);
  const other = (text(flow['flowType']) ?? 'SupplierInvoice') !== 'SupplierInvoice' || flow['flowDirection'] === 'Out';
  return id === null || other ? [] : [{ externalId: id, deleted: false, changedAt: latest([flow['updatedAt']]) }];
}

/** Infinite if the flow does not tell. */
function momentOf(flow: Json): number {
  return latest([flow['updatedAt']])?.getTime() ?? Number.POSITIVE_INFINITY;
}
