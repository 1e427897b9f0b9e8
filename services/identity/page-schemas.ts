import { answer, id } from '@app/http';
import type { Page } from '@app/kernel';
import Joi from 'joi';

/** What the routes of the platform's administration have in common. */
export const platformRoute = { host: 'ts', tag: 'Platform administration', access: 'platform' } as const;

/** The query of every list of this service. */
export const pageQuery = Joi.object<Page>({
  limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
  cursor: id.description('`nextCursor` of the previous page'),
});

/** The query of a list that people search. */
export const searchQuery = (pageQuery as Joi.ObjectSchema<Page & { q?: string }>).keys({
  q: Joi.string().max(200).description('words, each from its beginning on'),
});

/** The response of such a list. */
export function pageReply(item: Joi.Schema): Joi.ObjectSchema {
  return answer({ items: Joi.array().items(item), nextCursor: Joi.string().allow(null) });
}
