import { formatMoney, formatWithTime, type Where } from '../../../i18n/format.ts';
import type { HistoryItem, Note } from '../tickets.ts';

export type Entry = { kind: 'note'; at: string; note: Note } | { kind: 'event'; at: string; event: HistoryItem };

/** Notes and history in one list, newest first. */
export function timelineOf(history: readonly HistoryItem[], notes: readonly Note[]): Entry[] {
  const entries: Entry[] = [
    ...history.map((event): Entry => ({ kind: 'event', at: event.at, event })),
    ...notes.map((note): Entry => ({ kind: 'note', at: note.created_at, note })),
  ];
  return entries.sort((one, other) => other.at.localeCompare(one.at));
}

/** `D-1, €1,234.56 HT` of `D-1 1234.56`, as the history has a quote, with `TTC` after a price with VAT; anything else stays. */
export function quoteInWords(text: string, locale: string): string {
  const [, reference, price, basis = 'HT'] = /^(.+) ([\d.]+)(?: (TTC))?$/s.exec(text) ?? [];
  if (price === undefined || Number.isNaN(Number(price))) return text;
  return `${reference}, ${formatMoney(price, { locale })} ${basis}`;
}

/** A moved due date, which the history has as `arrival 2026-12-05T11:00:00.000Z The lift is closed`; anything else stays. */
export function movedInWords(text: string, names: Record<string, string>, where: Where): string {
  const [, clock = '', at = '', reason] = /^(\w+) (\S+Z) (.*)$/s.exec(text) ?? [];
  if (reason === undefined) return text;
  return `${names[clock] ?? clock}, ${formatWithTime(new Date(at), where)} · ${reason}`;
}
