/** Before and after a ticket in a list. `place`: where it was last; null if it was never seen there. */
export function neighboursOf(ids: readonly string[], id: string, place: number | null) {
  const index = ids.indexOf(id);
  const at = index >= 0 ? index : place;
  if (at === null) return { previous: null, next: null };
  // Of one that has left the list, what took its place comes next.
  return { previous: ids[at - 1] ?? null, next: ids[index >= 0 ? at + 1 : at] ?? null };
}

/** What the history of the browser keeps with a ticket: the list that it was opened from, as that list's address has it. */
export type FromList = { list: string };

export function listIn(state: unknown): string | null {
  const { list } = (state ?? {}) as Partial<FromList>;
  return typeof list === 'string' ? list : null;
}

export function listHref(list: string | null): string {
  return list ? `/tickets?${list}` : '/tickets';
}
