import { type Caller, companySchema, permissions } from '@app/contracts';
import { type Route, respond, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import { type LoginDeps, login } from './login.ts';
import { type Session, sessionLifetimeMs, sessionView } from './session.ts';

/** `secureCookie`: false only if the second API is served over plain http. */
type Deps = LoginDeps & { secureCookie: boolean };

type Request = { headers: NodeJS.Dict<string | string[]>; socket: { remoteAddress?: string | undefined } };

const credentials = Joi.object<{ email: string; password: string }>({
  email: Joi.string()
    .max(254)
    .custom((email: string) => email.toLowerCase())
    .required(),
  password: Joi.string().max(200).required(),
});

const text = Joi.string().allow('').required();
const sessionReply = Joi.object({
  user: Joi.object({
    id: text,
    email: text,
    first_name: text,
    last_name: text,
    phone: Joi.string().allow(null).required(),
  }).required(),
  company: companySchema.required(),
  permissions: Joi.array()
    .items(Joi.string().valid(...permissions))
    .required(),
});

const cookieName = 'session';

export function sessionRoutes(deps: Deps): Route[] {
  return [loginRoute(deps), sessionRoute(deps), logoutRoute(deps)];
}

function loginRoute(deps: Deps): Route {
  return route({
    host: 'ts',
    method: 'post',
    path: '/auth/login',
    summary: 'Log in',
    description: 'Gives a session as the cookie `session` and as `token`, for 12 hours.',
    tag: 'Session',
    access: 'public',
    body: credentials,
    reply: { status: 200, schema: sessionReply.keys({ token: text }) },
    async handle({ body, req, res }) {
      res.setHeader('Cache-Control', 'no-store');
      const outcome = await login(deps, { ...body, address: addressOf(req) });
      if (outcome.kind === 'locked') {
        res.setHeader('Retry-After', String(outcome.retryAfterS));
        throw new AppError('too_many', 'too_many_attempts', 'too many failed logins; try again later');
      }
      if (outcome.kind === 'refused') {
        throw new AppError('unauthenticated', 'invalid_credentials', 'e-mail address or password is wrong');
      }
      const { user, company, token } = outcome;
      res.cookie(cookieName, token, { ...cookieOptions(deps), maxAge: sessionLifetimeMs });
      return { ...sessionView(user, company), token };
    },
  });
}

function sessionRoute(deps: Deps): Route {
  return route({
    host: 'ts',
    method: 'get',
    path: '/auth/session',
    summary: 'Who is logged in',
    tag: 'Session',
    access: { permission: null },
    reply: { status: 200, schema: sessionReply },
    async handle({ req, res, caller }) {
      res.setHeader('Cache-Control', 'no-store');
      const session = await currentSession(deps, req, caller);
      const [user, company] = await Promise.all([
        deps.users.find(session.user_id),
        deps.companies.find(session.company_id),
      ]);
      if (!user || !company) throw noSession();
      return sessionView(user, company);
    },
  });
}

function logoutRoute(deps: Deps): Route {
  return route({
    host: 'ts',
    method: 'post',
    path: '/auth/logout',
    summary: 'Log out',
    description: 'The session, its cookie and its `token` end.',
    tag: 'Session',
    access: { permission: null },
    reply: { status: 204 },
    async handle({ req, res, caller }) {
      const session = await currentSession(deps, req, caller);
      await deps.sessions.end(session.id);
      deps.logger.info('logged out', { userId: session.user_id, sessionId: session.id });
      res.clearCookie(cookieName, cookieOptions(deps));
      return respond(204);
    },
  });
}

function cookieOptions({ secureCookie }: Deps) {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: secureCookie } as const;
}

/**
 * The session of the request, from `x-session-token`. The gateway sends the client's credential in it, to `/auth/*` alone: the
 * internal token says who calls, not with which session.
 * @throws AppError unauthenticated `unauthorized`
 */
async function currentSession({ sessions, now }: Deps, { headers }: Request, caller: Caller): Promise<Session> {
  const token = headers['x-session-token'];
  const session = typeof token === 'string' ? await sessions.find(token, now()) : null;
  if (!session || session.user_id !== caller.userId) throw noSession();
  return session;
}

function noSession(): AppError {
  return new AppError('unauthenticated', 'unauthorized', 'there is no such session, or it has ended');
}

/** The client's address: the last entry, which the gateway appends. */
function addressOf({ headers, socket }: Request): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return forwarded || (socket.remoteAddress ?? 'unknown');
}
