import type { ProviderHttp } from '../http-client.ts';
import { identifier, type Json, latest, pageEntries, record, text } from '../json.ts';
import type { ChangedPage } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';

/** The second where one moment has more flows than the first takes. */
const limits = [100, 1000];

type Call = { http: ProviderHttp; signal: AbortSignal | undefined };

/**
 * Incoming supplier invoices by the moment of their last change. The norm knows no cursor: a full page is followed by what
 * changed since its last flow, and a millisecond before, because `updatedAfter` may leave its own moment out. So flows come
 * again at the seam. Our cursor is that moment.
 */
export async function listChanged(call: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const after = cursor === null ? since : new Date(cursor);
  for (const limit of limits) {
    const flows = await search(call, { updatedAfter: beforeIt(after), limit });
    const watermark = latest(flows.map((flow) => flow['updatedAt']));
    const changes = flows.flatMap((flow) => changeOf(flow));
    if (flows.length < limit || watermark === null) return { changes, cursor: null, watermark };
    if (watermark > after) return { changes, cursor: watermark.toISOString(), watermark };
  }
  throw new ProviderError(
    'refused',
    `the provider changed more than ${limits.at(-1)} flows in one moment: they can't be told apart`,
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

/** Some platforms leave a filter out: what is no incoming invoice is left out here. */
function changeOf(flow: Json): ChangedPage['changes'] {
  const id = identifier(flow['flowId']);
  const other = (text(flow['flowType']) ?? 'SupplierInvoice') !== 'SupplierInvoice' || flow['flowDirection'] === 'Out';
  return id === null || other ? [] : [{ externalId: id, deleted: false }];
}

function beforeIt(moment: Date): Date {
  return new Date(moment.getTime() - 1);
}
