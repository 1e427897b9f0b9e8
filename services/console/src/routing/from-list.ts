/** The history state of the page of one thing: the query of the list that it was opened from. */
export type FromList = { list: string };

export function listIn(state: unknown): string | null {
  const { list } = (state ?? {}) as Partial<FromList>;
  return typeof list === 'string' ? list : null;
}
