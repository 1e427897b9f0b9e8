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
