/**
 * The tickets before and after a ticket in a list. `place`: its last known index in the list; null
 * if it was never there.
 */
export function neighboursOf(ids: readonly string[], id: string, place: number | null) {
  const index = ids.indexOf(id);
  const at = index >= 0 ? index : place;
  if (at === null) return { previous: null, next: null };
  // If the ticket has left the list, the one that took its index comes next.
  return { previous: ids[at - 1] ?? null, next: ids[index >= 0 ? at + 1 : at] ?? null };
}

export function listHref(list: string | null): string {
  return list ? `/tickets?${list}` : '/tickets';
}
