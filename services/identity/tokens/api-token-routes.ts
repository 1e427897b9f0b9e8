import { id, type Route, respond, route } from '@app/http';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import Joi from 'joi';
import { pageQuery, pageReply } from '../page-schemas.ts';
import { readPage } from '../paging.ts';
import { type ApiToken, createApiToken } from './api-token.ts';
import type { ApiTokenStore } from './api-token-store.ts';

type Deps = { apiTokens: ApiTokenStore; logger: Logger; now: () => Date };

const access = { permission: 'api_webhooks' } as const;
const tag = 'API tokens';

const view = Joi.object({
  id: id.required(),
  name: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
});
const listed = view.keys({ user_id: id.required().description('the user who made it') });
const created = view.keys({ token: Joi.string().required().description('shown this once') });

export function apiTokenRoutes({ apiTokens, logger, now }: Deps): Route[] {
  return [
    route({
      host: 'ts',
      method: 'post',
      path: '/api-tokens',
      summary: 'Create a token for the ticket API',
      description:
        'The token is shown this once. It acts for the company and the user who made it, with the permissions of that user: the ticket API answers 403 `forbidden` where the user lacks `tickets`.',
      tag,
      access,
      body: Joi.object<{ name: string }>({ name: Joi.string().max(100).required() }),
      reply: { status: 201, schema: created },
      async handle({ body, caller: { companyId, userId }, res }) {
        const { apiToken, secret } = await apiTokens.add(createApiToken({ ...body, companyId, userId }, now()));
        logger.info('API token created', { apiTokenId: apiToken.id, companyId, userId });
        res.setHeader('Cache-Control', 'no-store');
        return { id: apiToken.id, name: apiToken.name, token: secret, created_at: apiToken.created_at };
      },
    }),
    route({
      host: 'ts',
      method: 'get',
      path: '/api-tokens',
      summary: "List the company's tokens",
      tag,
      access,
      query: pageQuery,
      reply: { status: 200, schema: pageReply(listed) },
      async handle({ query, caller }) {
        const { items, nextCursor } = await readPage(query, (page) => apiTokens.list(caller.companyId, page));
        return { items: items.map(({ company_id: _, ...item }) => item), nextCursor };
      },
    }),
    route({
      host: 'ts',
      method: 'delete',
      path: '/api-tokens/:id',
      summary: 'Delete a token',
      description: 'It is refused within 5 seconds everywhere.',
      tag,
      access,
      params: Joi.object<{ id: string }>({ id: id.required() }),
      load: ({ params, caller }) => apiTokens.find(params.id, caller.companyId).then(existing),
      reply: { status: 204 },
      async handle({ resource: found, caller: { companyId, userId } }) {
        if (!(await apiTokens.remove(found.id, companyId))) existing(null);
        logger.info('API token deleted', { apiTokenId: found.id, companyId, userId });
        return respond(204);
      },
    }),
  ];
}

/** @throws AppError not_found: also for another company's token, whose existence is not revealed */
function existing(apiToken: ApiToken | null): ApiToken {
  if (!apiToken) throw new AppError('not_found', 'api_token_not_found', 'there is no such API token');
  return apiToken;
}
