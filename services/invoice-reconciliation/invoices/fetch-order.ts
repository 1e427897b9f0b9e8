import type { Content } from './invoice.ts';

/** When the provider was asked for an invoice. `sequence` orders the fetches of an invoice across all processes. */
export type FetchTime = { at: Date; sequence: number };

/** True if the first fetch came after the second. Clocks of processes differ and may step back, so times do not count. */
export function isLater(one: FetchTime, other: FetchTime): boolean {
  return one.sequence > other.sequence;
}

export function fetchTimeOf({ fetched_at: at, sequence }: Content): FetchTime {
  return { at, sequence };
}

/** The same files, confirmed by a later fetch. */
export function refetchedAt(content: Content, { at: fetched_at, sequence }: FetchTime): Content {
  return { ...content, fetched_at, sequence };
}
