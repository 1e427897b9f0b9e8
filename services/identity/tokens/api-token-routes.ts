import { type AuditAction, oneOf, type Scope, scopes } from '@app/contracts';
import { auditSource, byId, type Context, id, named, type Route, route } from '@app/http';
import { AppError, type Page, readPage, ValidationError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import Joi from 'joi';
import { auditEntry } from '../audit/audit-entry.ts';
import { auditedWrite } from '../audit/audited-write.ts';
import { pageQuery, pageReply } from '../page-schemas.ts';
import { type AgendaFeedDeps, agendaFeedRoutes } from './agenda-feed-routes.ts';
import { type ApiToken, createApiToken } from './api-token.ts';
import type { ApiTokenStore } from './api-token-store.ts';

type Deps = AgendaFeedDeps & { apiTokens: ApiTokenStore; logger: Logger; now: () => Date };

const base = { host: 'ts', tag: 'API tokens', access: { permission: 'api_webhooks' } } as const;

const orNull = <S extends Joi.Schema>(schema: S) => schema.allow(null).required();
const scopeList = Joi.array().items(oneOf(scopes)).min(1).unique();

const tokenFields = {
  id: id.required(),
  name: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
  prefix: orNull(Joi.string()).description('how the token begins; null for one of before there were prefixes'),
  scopes: orNull(scopeList).description('what it may do; null: whatever its user may'),
  expires_at: orNull(Joi.string().isoDate()),
};
const listed = named('ApiToken', {
  ...tokenFields,
  user_id: id.required().description('the user whom it acts for: who made it, or took it over'),
  made_by: id.required().description('the user who made it'),
  last_used_at: orNull(Joi.string()).description('the day, `2026-11-23`'),
});
const created = named('NewApiToken', { ...tokenFields, token: Joi.string().required().description('shown this once') });

type NewToken = { name: string; scopes?: Scope[]; expires_at?: string };
const newToken = Joi.object<NewToken>({
  name: Joi.string().max(100).required(),
  scopes: scopeList.description('all by default'),
  expires_at: Joi.string().isoDate().max(40).description('never by default'),
});

/** Of API tokens, and of the secret addresses of agendas. */
export function apiTokenRoutes(deps: Deps): Route[] {
  return [createRoute(deps), listRoute(deps), deleteRoute(deps), ...agendaFeedRoutes(deps)];
}

function createRoute({ apiTokens, auditLog, logger, now }: Deps): Route {
  return route({
    ...base,
    method: 'post',
    path: '/api-tokens',
    summary: 'Create a token for the ticket API',
    errors: ['409 api_token_limit'],
    description:
      'The token is shown this once. It acts for the company and the user who made it, with the permissions of that user: the ticket API answers 403 `forbidden` where the user lacks `tickets`.',
    body: newToken,
    reply: { status: 201, schema: created },
    async handle({ body, caller: { companyId, userId }, principal, write, req, res }) {
      if (body.expires_at !== undefined && new Date(body.expires_at) <= now()) {
        throw new ValidationError([{ path: 'expires_at', message: 'expires_at must be in the future' }]);
      }
      const newOne = createApiToken({ ...body, companyId, userId }, now());
      const entry = tokenEntry(newOne.apiToken, 'api_token.created', { principal, req }, now());
      const alongside = (within: Within) => auditLog.add([entry], within);
      const { apiToken, secret } = await apiTokens.add(newOne, { write, alongside });
      logger.info('API token created', { apiTokenId: apiToken.id, companyId, userId });
      res.setHeader('Cache-Control', 'no-store');
      const { company_id: _, user_id: _user, made_by: _maker, last_used_at: _unused, ...made } = apiToken;
      return { ...made, token: secret };
    },
  });
}

function listRoute({ apiTokens }: Deps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/api-tokens',
    summary: "List the company's tokens",
    query: pageQuery,
    reply: { status: 200, schema: pageReply(listed) },
    async handle({ query, caller }) {
      const read = (page: Page) => apiTokens.list(caller.companyId, page);
      const { items, nextCursor } = await readPage(query, read, (last) => last.id);
      return { items: items.map(({ company_id: _, ...item }) => item), nextCursor };
    },
  });
}

function deleteRoute(deps: Deps): Route {
  const { apiTokens, logger, now } = deps;
  return route({
    ...base,
    method: 'delete',
    path: '/api-tokens/:id',
    summary: 'Delete a token',
    errors: ['404 api_token_not_found'],
    description: 'It is refused within 5 seconds everywhere.',
    params: byId,
    load: ({ params, caller }) => apiTokens.find(params.id, caller.companyId).then(existing),
    reply: { status: 204 },
    async handle({ resource: found, caller: { companyId, userId }, principal, req }) {
      const entry = tokenEntry(found, 'api_token.revoked', { principal, req }, now());
      const removed = await auditedWrite(deps, null, async (within) => {
        const result = await apiTokens.remove(found.id, companyId, within);
        return { result, entries: result ? [entry] : [] };
      });
      if (!removed) existing(null);
      logger.info('API token deleted', { apiTokenId: found.id, companyId, userId });
    },
  });
}

type Request = Pick<Context<never, never, never, never>, 'principal' | 'req'>;

function tokenEntry({ id, name, company_id: companyId }: ApiToken, action: AuditAction, request: Request, at: Date) {
  const target = { kind: 'api_token', id, name };
  return auditEntry({ companyId, action, ...auditSource(request), target }, at);
}

/** @throws AppError not_found: also for another company's token, whose existence is not revealed */
function existing(apiToken: ApiToken | null): ApiToken {
  if (!apiToken) throw new AppError('not_found', 'api_token_not_found', 'there is no such API token');
  return apiToken;
}
