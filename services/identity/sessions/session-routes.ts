import { type Caller, oneOf, permissions } from '@app/contracts';
import {
  answer,
  auditOrigin,
  auditSource,
  type Context,
  forwardedAddress,
  id,
  named,
  type Route,
  respond,
  route,
} from '@app/http';
import { AppError, type Page, readPage } from '@app/kernel';
import Joi from 'joi';
import { auditEntry } from '../audit/audit-entry.ts';
import { type AuditedWriteDeps, auditedWrite } from '../audit/audited-write.ts';
import { companyReply } from '../companies/company-routes.ts';
import { pageQuery, pageReply } from '../page-schemas.ts';
import { type LoginDeps, login } from './login.ts';
import { tooManyAttempts } from './login-throttle.ts';
import { type Session, sessionResponse } from './session.ts';
import { clearSessionCookie, setDeviceCookie, setSessionCookie } from './session-cookie.ts';
import type { SessionStore } from './session-store.ts';

/** `secureCookie`: false only if the second API is served over plain http. */
type Deps = LoginDeps & AuditedWriteDeps & { secureCookie: boolean };

type Request = { headers: NodeJS.Dict<string | string[]>; socket: { remoteAddress?: string | undefined } };

const credentials = Joi.object<{ email: string; password: string }>({
  email: Joi.string()
    .max(254)
    .custom((email: string) => email.toLowerCase())
    .required(),
  password: Joi.string().max(200).required(),
});

/** What the routes of who is logged in have in common. */
const base = { host: 'ts', tag: 'Session', access: { permission: null } } as const;

const possiblyEmpty = Joi.string().allow('');
const sessionFields = {
  user: answer({
    id: possiblyEmpty,
    email: possiblyEmpty,
    first_name: possiblyEmpty,
    last_name: possiblyEmpty,
    phone: Joi.string().allow(null),
  }),
  company: companyReply,
  permissions: Joi.array().items(oneOf(permissions)),
  place_ids: Joi.array().items(Joi.string()).description('the places to which the user is limited; empty: every place'),
};

const orNull = (schema: Joi.StringSchema) => schema.allow(null).required();
const listed = named('Session', {
  id: id.required(),
  created_at: Joi.string().isoDate(),
  expires_at: Joi.string().isoDate().required(),
  address: orNull(Joi.string()).description('of the login'),
  user_agent: orNull(Joi.string()).description('of the login'),
  current: Joi.boolean().required().description('whether it is the session of this request'),
});

export function sessionRoutes(deps: Deps): Route[] {
  return [loginRoute(deps), sessionRoute(deps), logoutRoute(deps), listRoute(deps), endRoute(deps), endAllRoute(deps)];
}

function loginRoute(deps: Deps): Route {
  return route({
    host: 'ts',
    method: 'post',
    path: '/auth/login',
    summary: 'Log in',
    errors: ['401 invalid_credentials', '429 too_many_attempts'],
    description:
      '429 `too_many_attempts` after 10 failures within 15 minutes of the account from the address (or /64), or 100 of either over all. ' +
      'A browser in which the user has logged in counts by itself, by a cookie of its own, `device`; one that sets the password by a link ' +
      'is such a browser. Gives a session as a cookie, over https `__Host-session`, else `session`, and as `token`, for 12 hours, or until 2 hours pass without a request. With `Prefer: ' +
      'return=minimal` (RFC 7240) it is 204 and gives the cookie alone, so that no script in a browser holds the token.',
    tag: 'Session',
    access: 'public',
    body: credentials,
    reply: {
      status: 200,
      schema: named('Login', { ...sessionFields, token: possiblyEmpty }),
      headers: { 'Set-Cookie': 'The cookie of the session' },
      also: { 204: 'The same, for `Prefer: return=minimal`' },
    },
    async handle({ body, req, res }) {
      res.setHeader('Cache-Control', 'no-store');
      const origin = { address: forwardedAddress(req), userAgent: req.headers['user-agent'] ?? null };
      const outcome = await login(deps, {
        ...body,
        ...origin,
        from: auditOrigin(req),
        device: req.headers['x-device'],
      });
      if (outcome.kind === 'locked') throw tooManyAttempts(res, outcome.retryAfterS, tooManyLogins);
      if (outcome.kind === 'refused') {
        throw new AppError('unauthenticated', 'invalid_credentials', 'e-mail address or password is wrong');
      }
      const { user, company, token, deviceToken } = outcome;
      setSessionCookie(res, token, deps);
      setDeviceCookie(res, deviceToken, deps);
      if (prefersMinimal(req)) {
        res.setHeader('Preference-Applied', 'return=minimal');
        return respond(204);
      }
      return { ...sessionResponse(user, company), token };
    },
  });
}

/** RFC 7240. Other preferences are ignored. */
function prefersMinimal({ headers }: Request): boolean {
  const given = String(headers['prefer'] ?? '').toLowerCase();
  return given.split(/[,;]/).some((one) => one.replace(/[\s"]/g, '') === 'return=minimal');
}

function sessionRoute(deps: Deps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/auth/session',
    summary: 'Who is logged in',
    reply: { status: 200, schema: named('CurrentSession', { ...sessionFields, expires_at: Joi.string().isoDate() }) },
    async handle({ req, res, caller }) {
      res.setHeader('Cache-Control', 'no-store');
      const session = await currentSession(deps, req, caller);
      const [user, company] = await Promise.all([
        deps.users.find(session.user_id),
        deps.companies.find(session.company_id),
      ]);
      if (!user || !company) throw noSession();
      return { ...sessionResponse(user, company), expires_at: session.expires_at.toISOString() };
    },
  });
}

function logoutRoute(deps: Deps): Route {
  return route({
    ...base,
    method: 'post',
    path: '/auth/logout',
    summary: 'Log out',
    description: 'The session, its cookie and its `token` end.',
    reply: { status: 204 },
    async handle({ req, res, principal, caller, write }) {
      const session = await currentSession(deps, req, caller);
      await endSession(deps, session.id, { principal, req, caller, write });
      deps.logger.info('logged out', { userId: session.user_id, sessionId: session.id });
      clearSessionCookie(res, deps);
    },
  });
}

function listRoute(deps: Deps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/auth/sessions',
    summary: 'List your sessions',
    description: 'Oldest first. A session ends 12 hours after its login, and after 2 hours without a request.',
    query: pageQuery,
    reply: { status: 200, schema: pageReply(listed) },
    async handle({ query, req, caller }) {
      const current = await currentSession(deps, req, caller);
      const read = (wanted: Page) => deps.sessions.list(current.user_id, wanted, deps.now());
      const page = await readPage(query, read, (last) => last.id);
      const items = page.items.map(({ user_id: _, company_id: _company, used_at: _used, ...shown }) => {
        return { ...shown, current: shown.id === current.id };
      });
      return { ...page, items };
    },
  });
}

function endAllRoute(deps: Deps): Route {
  return route({
    ...base,
    method: 'delete',
    path: '/auth/sessions',
    summary: 'Sign out everywhere',
    description: 'Ends all your sessions, this one too. They are refused within 5 seconds everywhere.',
    reply: { status: 204 },
    async handle({ req, res, principal, caller: { companyId, userId } }) {
      const target = { kind: 'user', id: userId, name: null };
      await auditedWrite(deps, null, async (within) => {
        await deps.sessions.endAll(userId, within);
        const source = auditSource({ principal, req });
        return {
          result: null,
          entries: [auditEntry({ companyId, action: 'session.ended', ...source, target }, deps.now())],
        };
      });
      deps.logger.info('signed out everywhere', { userId });
      clearSessionCookie(res, deps);
    },
  });
}

function endRoute(deps: Deps): Route {
  return route({
    ...base,
    method: 'delete',
    path: '/auth/sessions/:id',
    summary: 'End one of your sessions',
    errors: ['404 session_not_found'],
    description: 'It is refused within 5 seconds everywhere.',
    params: Joi.object<{ id: string }>({ id: id.required() }),
    reply: { status: 204 },
    async handle({ params, req, principal, caller, write }) {
      const current = await currentSession(deps, req, caller);
      if (!(await endSession(deps, params.id, { principal, req, caller, write }))) {
        throw new AppError('not_found', 'session_not_found', 'you have no such session');
      }
      deps.logger.info('session ended', { userId: current.user_id, sessionId: params.id });
    },
  });
}

type Asked = Pick<Context<never, never, never, never>, 'principal' | 'req' | 'caller' | 'write'>;

/** Ends a session; false if the user has none with this id. */
function endSession(deps: Deps, sessionId: string, { caller, write, ...request }: Asked): Promise<boolean> {
  const { companyId, userId } = caller;
  const target = { kind: 'session', id: sessionId, name: null };
  return auditedWrite(deps, write, async (within) => {
    const result = await deps.sessions.end(sessionId, userId, within);
    const entry = auditEntry({ companyId, action: 'session.ended', ...auditSource(request), target }, deps.now());
    return { result, entries: result ? [entry] : [] };
  });
}

export const tooManyLogins = 'too many failed logins; try again later, or ask for a new password';

/**
 * The session of the request, from `x-session-token`. The gateway sends the client's credential in it, to these routes alone: the
 * internal token says who calls, not with which session.
 * @throws AppError unauthenticated `unauthorized`
 */
export async function currentSession(
  { sessions, now }: Pick<Deps, 'now'> & { sessions: Pick<SessionStore, 'find'> },
  { headers }: Request,
  caller: Caller,
): Promise<Session> {
  const token = headers['x-session-token'];
  const session = typeof token === 'string' ? await sessions.find(token, now()) : null;
  if (!session || session.user_id !== caller.userId) throw noSession();
  return session;
}

function noSession(): AppError {
  return new AppError('unauthenticated', 'unauthorized', 'there is no such session, or it has ended');
}
