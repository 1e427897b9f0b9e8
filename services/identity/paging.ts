/** A page of a list that is sorted by id; `cursor` is the last id of the previous page. */
export type Page = { limit: number; cursor?: string };

/** Reads one item more than the page holds, to know whether another page follows. */
export async function readPage<T extends { id: string }>(
  { limit, cursor }: Page,
  list: (page: Page) => Promise<T[]>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const read = await list({ limit: limit + 1, ...(cursor === undefined ? {} : { cursor }) });
  const items = read.slice(0, limit);
  return { items, nextCursor: read.length > limit ? (items.at(-1)?.id ?? null) : null };
}
