import { id } from '@app/http';
import { readPage } from '@app/kernel';
import Joi from 'joi';

export type Paging = { limit: number; cursor?: string };

/** The query of a list outside of libs/http/lists: items ascend by `_id`, at most 200 to a page. */
export const paging = {
  limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
  cursor: id.description('the `cursor` of the previous page: the `_id` of its last item'),
};

/** A page of a list; its cursor is null if it is the last one. */
export async function page<T extends { _id: string }, Query extends Paging>(
  query: Query,
  read: (query: Query) => Promise<T[]>,
) {
  const { items, nextCursor: cursor } = await readPage(query, read, (last) => last._id);
  return { items, cursor };
}
