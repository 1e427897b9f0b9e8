import type { CompanyKind } from '@app/contracts';
import { auditSource, byId, named, type Route, route } from '@app/http';
import { listRoutes } from '@app/http/lists';
import { AppError, ValidationError } from '@app/kernel';
import type { Within } from '@app/runtime/idempotency';
import Joi from 'joi';
import { auditedWrite } from '../audit/audited-write.ts';
import { platformRoute } from '../page-schemas.ts';
import { invitationKeys, tooManyAttempts } from '../sessions/login-throttle.ts';
import type { LoginThrottleStore } from '../sessions/login-throttle-store.ts';
import type { DomainProver } from '../sso/domains/prove-domains.ts';
import { domainOf } from '../sso/sso-settings.ts';
import { addUser } from '../users/add-user.ts';
import { createUser, type Invitation, type NewUser, type User, type UserChange, userResponse } from '../users/user.ts';
import { userList } from '../users/user-list.ts';
import { loadUser, newUserFields, userEntry, userFields, userReply, userReplyFields } from '../users/user-routes.ts';
import { toUser, type UserDocument } from '../users/user-store.ts';
import { type AdministrationDeps, administerUser } from './administer-user.ts';
import { addressOf, type CreatedLink, createPasswordLink } from './password-link.ts';

/** `publicUrl`: the address of the second API, for links. */
type Deps = AdministrationDeps & {
  throttle: Pick<LoginThrottleStore, 'recordFailure'>;
  publicUrl: string;
  domains: Pick<DomainProver, 'speaksFor'>;
  /** Stores the invitation e-mail in the same transaction; null while e-mail is off. */
  sendInvitation: ((user: User, by: string, within: Within) => Promise<Invitation>) | null;
};
const base = { host: 'ts', tag: 'Users', access: { permission: 'admin' } } as const;

const newUser = Joi.object<Omit<NewUser, 'company_id'>>(newUserFields);
const changeFields = { ...userFields, active: Joi.boolean().description('false: out everywhere within 5 seconds') };
const userChange = Joi.object<UserChange>(changeFields).min(1);

type CompanyUserChange = UserChange & { take_over_api_tokens?: boolean };
const companyUserChange = Joi.object<CompanyUserChange>({
  ...changeFields,
  take_over_api_tokens: Joi.boolean()
    .valid(true)
    .description(
      'with `active: false`: the API tokens of the user become yours, instead of ending; not of a user limited to places',
    ),
}).min(1);

const passwordLink = named('PasswordLink', {
  url: Joi.string().uri().description('for the user: leads to a page that asks for the password'),
  token: Joi.string().description('the same for programs: `POST /auth/password-link`'),
  expires_at: Joi.string().isoDate(),
});

const invitedUser = named('InvitedUser', {
  ...userReplyFields,
  password_link: passwordLink.allow(null).description('null if the user gets it by e-mail'),
});

export function companyUserRoutes(deps: Deps): Route[] {
  return [
    ...readingRoutes(deps),
    inviteRoute(deps),
    inviteAgainRoute(deps),
    changeRoute(deps),
    passwordLinkRoute(deps),
    platformChangeRoute(deps),
  ];
}

function readingRoutes({ users }: Deps): Route[] {
  return [
    ...listRoutes<UserDocument>({
      base: { ...base, path: '/company/users' },
      summary: ['List the users of your company', 'Download the users of your company for a spreadsheet'],
      description: '`q` finds them by name and e-mail address.',
      list: userList,
      read: users.ofCompany,
      byDefault: { by: 'created', order: 'asc' },
      show: (found) => found.map((one) => userResponse(toUser(one))),
      item: userReply,
      names: { items: 'items', cursor: 'nextCursor', file: 'users' },
    }),
    route({
      ...base,
      method: 'get',
      path: '/company/users/:id',
      summary: 'Read a user of your company',
      errors: ['404 user_not_found'],
      params: byId,
      reply: { status: 200, schema: userReply },
      load: loadUser(users),
      handle: async ({ resource: user }) => userResponse(user),
    }),
  ];
}

function inviteRoute(deps: Deps): Route {
  const { auditLog, publicUrl, now, logger } = deps;
  return route({
    ...base,
    method: 'post',
    path: '/company/users',
    summary: 'Invite a user',
    errors: ['409 email_taken', '409 user_limit', '429 too_many_attempts'],
    description:
      'The user gets an e-mail with a link that sets the password, within 7 days. Where no mail server is set, the link is in the ' +
      'answer, this once: pass it on. 429 `too_many_attempts` after 3 invitations of an address or 20 of a company within 15 minutes.',
    body: newUser,
    reply: { status: 201, schema: invitedUser },
    async handle({ body, caller: { companyId, companyKind, userId }, principal, write, req, res }) {
      refusePlaces(companyKind, body);
      await countInvitation(deps, { email: body.email, companyId }, res);
      const created = createUser({ ...body, company_id: companyId }, now(), { invited: true });
      const entry = userEntry(created.user, 'user.created', { request: { principal, req }, at: now() });
      const alongside = async (within: Within) => {
        await auditLog.add([entry], within);
        return invite(deps, { user: created.user, by: userId }, within);
      };
      const { user, more } = await addUser(deps, { ...created, passwordHash: null }, { write, alongside });
      logger.info('user invited', { invitedUserId: user.id, companyId, by: userId });
      res.setHeader('Cache-Control', 'no-store');
      return invitedView(user, more, publicUrl);
    },
  });
}

function inviteAgainRoute(deps: Deps): Route {
  const { publicUrl, now, logger } = deps;
  return route({
    ...base,
    method: 'post',
    path: '/company/users/:id/invitation',
    summary: 'Invite a user again',
    errors: ['404 user_not_found', '409 user_inactive', '409 user_not_invited', '429 too_many_attempts'],
    description:
      'For somebody who has not set a password yet: whose e-mail was not delivered, was lost or has expired. As for the first invitation, ' +
      'the link is in the answer where no mail server is set. Links and invitations from before end.',
    params: byId,
    load: loadUser(deps.users),
    reply: { status: 201, schema: invitedUser },
    async handle({ resource: user, caller: { companyId, userId }, principal, write, req, res }) {
      if (!user.active) throw new AppError('conflict', 'user_inactive', 'this user is not active');
      if (!user.invited) throw new AppError('conflict', 'user_not_invited', 'this user has accepted the invitation');
      await countInvitation(deps, { email: user.email, companyId }, res);
      const invited = await auditedWrite(deps, write, async (within) => {
        const entry = userEntry(user, 'password_link.created', { request: { principal, req }, at: now() });
        return { result: await invite(deps, { user, by: userId }, within), entries: [entry] };
      });
      logger.info('user invited again', { invitedUserId: user.id, companyId, by: userId });
      res.setHeader('Cache-Control', 'no-store');
      return invitedView(user, invited, publicUrl);
    },
  });
}

/** @throws ValidationError at `place_ids`: places are a client's */
function refusePlaces(companyKind: CompanyKind, { place_ids = [] }: Pick<UserChange, 'place_ids'>): void {
  if (companyKind === 'client' || place_ids.length === 0) return;
  throw new ValidationError([{ path: 'place_ids', message: 'place_ids must be empty: a contractor has no places' }]);
}

/** @throws AppError too_many `too_many_attempts` */
async function countInvitation(
  { throttle, now }: Pick<Deps, 'throttle' | 'now'>,
  of: Parameters<typeof invitationKeys>[0],
  res: Parameters<typeof tooManyAttempts>[0],
): Promise<void> {
  const retryAfterS = await throttle.recordFailure(invitationKeys(of), now());
  if (retryAfterS > 0) throw tooManyAttempts(res, retryAfterS, 'too many invitations; try again later');
}

type Invited = { link: CreatedLink } | { invitation: Invitation };

/** Sends the invitation, or makes the link for the admin to pass on. */
async function invite(
  { passwordLinks, sendInvitation, now }: Pick<Deps, 'passwordLinks' | 'sendInvitation' | 'now'>,
  { user, by }: { user: User; by: string },
  within: Within,
): Promise<Invited> {
  if (sendInvitation) return { invitation: await sendInvitation(user, by, within) };
  return { link: await passwordLinks.put(createPasswordLink(user.id, now()), within) };
}

function invitedView(user: User, invited: Invited, publicUrl: string) {
  if ('link' in invited) return { ...userResponse(user), password_link: linkResponse(invited.link, publicUrl) };
  return { ...userResponse({ ...user, ...invited }), password_link: null };
}

function changeRoute(deps: Deps): Route {
  return route({
    ...base,
    method: 'patch',
    path: '/company/users/:id',
    summary: 'Change a user of your company',
    errors: ['404 user_not_found', '409 last_admin', '409 user_erased'],
    description:
      'Sessions, password link and API tokens of a user who is deactivated end; another admin may take the tokens over.',
    params: byId,
    body: companyUserChange,
    load: loadUser(deps.users),
    reply: { status: 200, schema: userReply },
    async handle({ params, body, caller: by, principal, req }) {
      const { take_over_api_tokens: takeOverApiTokens = false, ...change } = body;
      if (takeOverApiTokens && change.active !== false) {
        const message = 'take_over_api_tokens needs `active: false`';
        throw new ValidationError([{ path: 'take_over_api_tokens', message }]);
      }
      refusePlaces(by.companyKind, change);
      const request = { userId: params.id, by, source: auditSource({ principal, req }), change };
      return userResponse(await administerUser(deps, request, { takeOverApiTokens }));
    },
  });
}

function passwordLinkRoute(deps: Deps): Route {
  const { passwordLinks, publicUrl, now, logger } = deps;
  return route({
    ...base,
    method: 'post',
    path: '/company/users/:id/password-link',
    summary: 'Make a link by which a user sets a new password',
    errors: ['404 user_not_found', '409 user_inactive', '409 user_not_accepted'],
    description:
      'For somebody who has forgotten it. It replaces the one before, lasts 7 days and is shown this once. 409 `user_not_accepted`: ' +
      'whoever has not accepted the invitation yet gets it by e-mail alone, unless the address is of a domain of your company.',
    params: byId,
    load: loadUser(deps.users),
    reply: { status: 201, schema: passwordLink },
    async handle({ resource: user, caller: { companyId, userId }, principal, write, req, res }) {
      if (!user.active) throw new AppError('conflict', 'user_inactive', 'this user is not active');
      // Else an admin could accept for anybody, and so take the address or learn that it is taken.
      if (user.invited && deps.sendInvitation && !(await deps.domains.speaksFor(companyId, domainOf(user.email)))) {
        const message = 'the invitation goes to the e-mail address alone: send it again';
        throw new AppError('conflict', 'user_not_accepted', message);
      }
      logger.info('password link created', { forUserId: user.id, companyId, by: userId });
      res.setHeader('Cache-Control', 'no-store');
      const created = await auditedWrite(deps, write, async (within) => {
        const entry = userEntry(user, 'password_link.created', { request: { principal, req }, at: now() });
        return { result: await passwordLinks.put(createPasswordLink(user.id, now()), within), entries: [entry] };
      });
      return linkResponse(created, publicUrl);
    },
  });
}

function platformChangeRoute(deps: Deps): Route {
  return route({
    ...platformRoute,
    method: 'patch',
    path: '/admin/users/:id',
    summary: 'Change a user',
    errors: ['404 user_not_found', '409 last_admin', '409 user_erased'],
    description: 'As an admin of the company may.',
    params: byId,
    body: userChange,
    reply: { status: 200, schema: userReply },
    async handle({ params, body: change, principal, req }) {
      const source = auditSource({ principal, req });
      return userResponse(await administerUser(deps, { userId: params.id, by: null, source, change }));
    },
  });
}

function linkResponse({ link, token }: CreatedLink, publicUrl: string) {
  return { url: addressOf(token, publicUrl), token, expires_at: link.expires_at.toISOString() };
}
