/** Where the user is in a list. `place`: the last row of the selected item, which may have left the list since. */
export type Place = { selected: string | null; place: number };

/**
 * The item after or before the selected one; at the end of the list the same. If the selected one has left the list,
 * the item that took its row.
 */
export function neighbour(ids: readonly string[], { selected, place }: Place, step: 1 | -1): string | null {
  const index = selected === null ? -1 : ids.indexOf(selected);
  const wanted = index >= 0 ? index + step : step === 1 ? place : place - 1;
  const bounded = Math.min(Math.max(wanted, 0), ids.length - 1);
  return ids[bounded] ?? null;
}

/**
 * The item to select after a removal: the one that takes the row, at the end the one before; null if none is left.
 * `place` is the last row of the removed one, should the list have lost it already.
 */
export function afterRemoval(ids: readonly string[], removed: string, place: number): string | null {
  const index = ids.indexOf(removed);
  if (index < 0) return neighbour(ids, { selected: removed, place }, 1);
  return ids[index + 1] ?? ids[index - 1] ?? null;
}
