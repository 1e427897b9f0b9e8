import { id } from '@app/http';
import Joi from 'joi';

export type Page = { limit: number; cursor?: string };

/** The query of every list here: ascending by id, at most 200 items a page. */
export const pageQuery = Joi.object<Page>({
  limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
  cursor: id.description('`nextCursor` of the previous page'),
});

/** The answer of a list whose items are such. */
export function pageReply(item: Joi.Schema): Joi.ObjectSchema {
  return Joi.object({ items: Joi.array().items(item).required(), nextCursor: Joi.string().allow(null).required() });
}

/** Reads one item more than the page holds, to know whether another page follows. */
export async function readPage<T extends { id: string }>(
  { limit, cursor }: Page,
  list: (page: Page) => Promise<T[]>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const read = await list({ limit: limit + 1, ...(cursor === undefined ? {} : { cursor }) });
  const items = read.slice(0, limit);
  return { items, nextCursor: read.length > limit ? (items.at(-1)?.id ?? null) : null };
}
