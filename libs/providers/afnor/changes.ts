import type { ProviderHttp } from '../http/http-client.ts';
import { identifier, type Json, latest, pageEntries, record, text } from '../parsing/json.ts';
import type { ChangedPage } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';

/** The second is used if more flows changed at one moment than the first allows. */
const pageLimits = [100, 1000];

type Call = { http: ProviderHttp; signal: AbortSignal | undefined };

/**
 * Incoming supplier invoices in the order of their last change. The standard has no cursor, so the
 * cursor is the time of the last flow of a full page. A page begins a millisecond before it,
 * because `updatedAfter` may be exclusive: its first flows may be the last ones of the page before.
 */
export async function listChanged(call: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const after = cursor === null ? since : new Date(cursor);
  for (const limit of pageLimits) {
    const flows = await search(call, { updatedAfter: millisecondBefore(after), limit });
    const watermark = latest(flows.map((flow) => flow['updatedAt']));
    const changes = flows.flatMap((flow) => changeOf(flow));
    if (flows.length < limit || watermark === null) return { changes, cursor: null, watermark };
    if (watermark > after) return { changes, cursor: watermark.toISOString(), watermark };
  }
  throw new ProviderError(
    'refused',
    `the provider changed more than ${pageLimits.at(-1)} flows in one moment: they can't be told apart`,
  );
}

async function search(
  { http, signal }: Call,
  { updatedAfter, limit }: { updatedAfter: Date; limit: number },
): Promise<Json[]> {
  const where = { updatedAfter: updatedAfter.toISOString(), flowType: ['SupplierInvoice'], flowDirection: ['In'] };
  const { results } = record(
    await http.json({ method: 'post', path: ['flows', 'search'], body: { limit, where }, signal }),
  );
  return pageEntries(results);
}

/** Some platforms ignore a filter, so flows that are no incoming invoices are skipped here. */
function changeOf(flow: Json): ChangedPage['changes'] {
  const id = identifier(flow['flowId']);
  const other = (text(flow['flowType']) ?? 'SupplierInvoice') !== 'SupplierInvoice' || flow['flowDirection'] === 'Out';
  return id === null || other ? [] : [{ externalId: id, deleted: false }];
}

function millisecondBefore(moment: Date): Date {
  return new Date(moment.getTime() - 1);
}
