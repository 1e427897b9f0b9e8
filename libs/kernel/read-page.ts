/** A page of a list that is sorted by id; `cursor` is the last id of the previous page. */
export type Page = { limit: number; cursor?: string };

/**
 * A page of a list. One item more is read, to know whether another page follows.
 * @returns `nextCursor`: null on the last page
 */
export async function readPage<Query extends { limit: number }, T>(
  query: Query,
  read: (query: Query) => Promise<T[]>,
  cursorOf: (last: T) => string,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const found = await read({ ...query, limit: query.limit + 1 });
  const items = found.slice(0, query.limit);
  const last = found.length > query.limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : cursorOf(last) };
}
