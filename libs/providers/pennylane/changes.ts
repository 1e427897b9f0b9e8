import type { ProviderHttp } from '../http-client.ts';
import { identifier, type Json, latest, pageEntries, record, text } from '../json.ts';
import type { ChangedPage } from '../provider.ts';

const dayMs = 24 * 3_600_000;
/** The changelog keeps 4 weeks and refuses an older start; a day less, against clocks that differ. */
const keptMs = 27 * dayMs;
/** How far an invoice's own date may lie before the moment it came in. */
const lateMs = 92 * dayMs;

type Call = { http: ProviderHttp; now: Date; signal: AbortSignal | undefined };

/**
 * The changelog, oldest first. Where `since` is older than it reaches, first all invoices dated since 3 months before
 * that moment, by id, then the changelog as far as it goes back: nothing is missed but old deletions. Our cursor says which
 * of the two the page is of: `list:<theirs>` or `log:<theirs>`; without theirs, the first page.
 */
export async function listChanged(call: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const reach = new Date(call.now.getTime() - keptMs);
  const [, kind, theirs] = /^(list|log):(.*)$/s.exec(cursor ?? (since < reach ? 'list:' : 'log:')) ?? [];
  if (kind === 'list') return listedPage(call, since, theirs || null);
  return changelogPage(call, since < reach ? reach : since, theirs || null);
}

async function changelogPage({ http, signal }: Call, start: Date, cursor: string | null): Promise<ChangedPage> {
  // The two together are refused.
  const query = cursor === null ? { start_date: start.toISOString(), limit: 1000 } : { cursor, limit: 1000 };
  const { items, next } = pageOf(await http.json({ path: ['changelogs', 'supplier_invoices'], query, signal }));
  const last = new Map(items.map((item) => [identifier(item['id']), item['operation'] === 'delete'] as const));
  return {
    changes: changesOf([...last]),
    cursor: next === null ? null : `log:${next}`,
    watermark: latest(items.map((item) => item['processed_at'])),
  };
}

async function listedPage({ http, signal }: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const from = new Date(since.getTime() - lateMs).toISOString().slice(0, 10);
  const filter = JSON.stringify([{ field: 'date', operator: 'gteq', value: from }]);
  const query = { limit: 100, sort: 'id', filter, cursor };
  const { items, next } = pageOf(await http.json({ path: ['supplier_invoices'], query, signal }));
  const changes = changesOf(items.map((item) => [identifier(item['id']), false] as const));
  return { changes, cursor: next === null ? 'log:' : `list:${next}`, watermark: null };
}

function changesOf(entries: (readonly [string | null, boolean])[]): ChangedPage['changes'] {
  return entries.flatMap(([id, deleted]) => (id === null ? [] : [{ externalId: id, deleted }]));
}

function pageOf(answer: unknown): { items: Json[]; next: string | null } {
  const { items, has_more: more, next_cursor: next } = record(answer);
  return { items: pageEntries(items), next: more === false ? null : text(next) };
}
