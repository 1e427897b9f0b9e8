import { id } from '@app/http';
import Joi from 'joi';

export type Paging = { limit: number; cursor?: string };

/** The query of every list: items ascend by `_id`, at most 200 to a page. */
export const paging = {
  limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
  cursor: id.description('the `cursor` of the previous page: the `_id` of its last item'),
};

/** Cuts `limit + 1` items to a page. The cursor is null on the last page. */
export function page<T extends { _id: string }>(read: T[], limit: number): { items: T[]; cursor: string | null } {
  const items = read.slice(0, limit);
  return { items, cursor: read.length > limit ? (items.at(-1)?._id ?? null) : null };
}
