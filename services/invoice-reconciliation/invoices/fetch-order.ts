import type { Content } from './invoice.ts';

/**
 * When the provider was asked for an invoice. `sequence` counts the fetches of an invoice across all processes; it is null
 * for fetches by releases that did not count.
 */
export type FetchTime = { at: Date; sequence: number | null };

/**
 * True if the first fetch came after the second. Clocks of processes differ and may step back, so times are compared only if
 * one of the fetches was not counted.
 */
export function isLater(one: FetchTime, other: FetchTime): boolean {
  if (one.sequence !== null && other.sequence !== null) return one.sequence > other.sequence;
  return one.at > other.at;
}

export function fetchTimeOf({ fetched_at: at, sequence = null }: Content): FetchTime {
  return { at, sequence };
}

/** The same files, confirmed by a later fetch. */
export function refetchedAt(content: Content, { at: fetched_at, sequence }: FetchTime): Content {
  return { ...content, fetched_at, sequence };
}
