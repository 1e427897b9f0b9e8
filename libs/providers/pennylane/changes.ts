import type { ProviderHttp } from '../http/http-client.ts';
import { identifier, type Json, latest, pageEntries, record, text } from '../parsing/json.ts';
import type { ChangedPage, ListedChange } from '../provider.ts';

const dayMs = 24 * 3_600_000;
/** The changelog keeps 4 weeks and refuses an older start. A day less, because clocks differ. */
const changelogMs = 27 * dayMs;
/** How long before its arrival an invoice may be dated. */
const maxDateDelayMs = 92 * dayMs;

type Call = { http: ProviderHttp; now: Date; signal: AbortSignal | undefined };

/**
 * The changelog, oldest first. If `since` is before its start, lists all invoices dated up to 3 months before `since` first, then
 * the whole changelog: only old deletions are missed. The cursor says which of the two a page belongs to: `list:<theirs>` or
 * `log:<theirs>`, for the first page without theirs.
 */
export async function listChanged(call: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const oldest = new Date(call.now.getTime() - changelogMs);
  const [, kind, theirs] = /^(list|log):(.*)$/s.exec(cursor ?? (since < oldest ? 'list:' : 'log:')) ?? [];
  if (kind === 'list') return listedPage(call, since, theirs || null);
  return changelogPage(call, since < oldest ? oldest : since, theirs || null);
}

async function changelogPage({ http, signal }: Call, start: Date, cursor: string | null): Promise<ChangedPage> {
  // Pennylane refuses the two together.
  const query = cursor === null ? { start_date: start.toISOString(), limit: 1000 } : { cursor, limit: 1000 };
  const { answer, answeredAt } = await http.dated({ path: ['changelogs', 'supplier_invoices'], query, signal });
  const { items, next } = pageOf(answer);
  const last = new Map(items.map((item) => [identifier(item['id']), item] as const));
  return {
    changes: changesOf([...last], (item) => ({
      deleted: item['operation'] === 'delete',
      changedAt: latest([item['processed_at']]),
    })),
    cursor: next === null ? null : `log:${next}`,
    watermark: latest(items.map((item) => item['processed_at'])),
    answeredAt,
  };
}

async function listedPage({ http, signal }: Call, since: Date, cursor: string | null): Promise<ChangedPage> {
  const from = new Date(since.getTime() - maxDateDelayMs).toISOString().slice(0, 10);
  const filter = JSON.stringify([{ field: 'date', operator: 'gteq', value: from }]);
  const query = { limit: 100, sort: 'id', filter, cursor };
  const { answer, answeredAt } = await http.dated({ path: ['supplier_invoices'], query, signal });
  const { items, next } = pageOf(answer);
  const entries = items.map((item) => [identifier(item['id']), item] as const);
  // Their times are other ones than those of the changelog.
  const changes = changesOf(entries, () => ({ deleted: false, changedAt: null }));
  return { changes, cursor: next === null ? 'log:' : `list:${next}`, watermark: null, answeredAt };
}

function changesOf(
  entries: (readonly [string | null, Json])[],
  factsOf: (item: Json) => Omit<ListedChange, 'externalId'>,
): ListedChange[] {
  return entries.flatMap(([id, item]) => (id === null ? [] : [{ externalId: id, ...factsOf(item) }]));
}

function pageOf(answer: unknown): { items: Json[]; next: string | null } {
  const { items, has_more: more, next_cursor: next } = record(answer);
  return { items: pageEntries(items), next: more === false ? null : text(next) };
}
