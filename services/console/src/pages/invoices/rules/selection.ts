/** Where the user is in a list. `place`: the row of what was selected last, which may have left the list since. */
export type Place = { selected: string | null; place: number };

/** The row after or before; the last and the first have none, and stay. Of a row that has left, what took its place. */
export function neighbour(ids: readonly string[], { selected, place }: Place, step: 1 | -1): string | null {
  const index = selected === null ? -1 : ids.indexOf(selected);
  const wanted = index >= 0 ? index + step : step === 1 ? place : place - 1;
  const bounded = Math.min(Math.max(wanted, 0), ids.length - 1);
  return ids[bounded] ?? null;
}

/** What is selected once a row has gone: the next in place, at the end the one before; null if it was the only one. */
export function afterRemoval(ids: readonly string[], removed: string): string | null {
  const index = ids.indexOf(removed);
  if (index < 0) return ids.at(-1) ?? null;
  return ids[index + 1] ?? ids[index - 1] ?? null;
}
