import { auditOrigin, auditSource, forwardedAddress, type Route, route } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { KnownDevices } from '../sessions/known-device.ts';
import { tooManyAttempts } from '../sessions/login-throttle.ts';
import { setDeviceCookie } from '../sessions/session-cookie.ts';
import { currentSession, tooManyLogins } from '../sessions/session-routes.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { passwordSchema } from '../users/user-routes.ts';
import type { UserStore } from '../users/user-store.ts';
import { type ChangePasswordDeps, changePassword } from './change-password.ts';
import { type SetPasswordDeps, setPassword } from './set-password.ts';

type Deps = Omit<ChangePasswordDeps, 'sessions' | 'users' | 'passwordLinks'> &
  SetPasswordDeps & {
    users: UserStore;
    sessions: SessionStore;
    devices: Pick<KnownDevices, 'token'>;
    /** False only if the second API is served over plain http. */
    secureCookie: boolean;
  };

const newPassword = Joi.object<{ current_password: string; new_password: string; end_api_tokens: boolean }>({
  current_password: Joi.string().max(200).required(),
  new_password: passwordSchema.required(),
  end_api_tokens: Joi.boolean().default(false).description('true: your API tokens and the address of your agenda end'),
});

const passwordByLink = Joi.object<{ token: string; password: string }>({
  token: Joi.string().max(200).required(),
  password: passwordSchema.required(),
});

export function passwordRoutes(deps: Deps): Route[] {
  return [changePasswordRoute(deps), setPasswordRoute(deps)];
}

function changePasswordRoute(deps: Deps): Route {
  return route({
    host: 'ts',
    method: 'post',
    path: '/auth/password',
    summary: 'Change your password',
    errors: ['429 too_many_attempts'],
    description:
      'All your other sessions end, and links that set the password; API tokens and the address of your agenda go on unless `end_api_tokens` says otherwise. After 10 wrong guesses of the current password in a session within ' +
      '15 minutes: 429 `too_many_attempts`.',
    tag: 'Session',
    access: { permission: null },
    body: newPassword,
    reply: { status: 204 },
    async handle({ body, req, res, principal, caller, write }) {
      const outcome = await changePassword(deps, {
        source: auditSource({ principal, req }),
        session: await currentSession(deps, req, caller),
        email: caller.email,
        address: forwardedAddress(req),
        currentPassword: body.current_password,
        newPassword: body.new_password,
        endApiTokens: body.end_api_tokens,
        write,
      });
      if (outcome.kind === 'locked') throw tooManyAttempts(res, outcome.retryAfterS, tooManyLogins);
      if (outcome.kind === 'refused') {
        throw new ValidationError([{ path: 'current_password', message: 'current_password is not your password' }]);
      }
      const account = { user: { id: caller.userId }, passwordHash: await deps.users.passwordHash(caller.userId) };
      setDeviceCookie(res, await deps.devices.token(account, deps.now()), deps);
    },
  });
}

function setPasswordRoute(deps: Deps): Route {
  return route({
    host: 'ts',
    method: 'post',
    path: '/auth/password-link',
    summary: 'Set your password with a link',
    errors: ['404 password_link_not_found', '409 email_taken'],
    description:
      'The link is used up, and all your sessions end. 409 `email_taken`: another company has invited the address too, and that ' +
      'invitation was accepted.',
    tag: 'Session',
    access: 'public',
    body: passwordByLink,
    reply: { status: 204 },
    async handle({ body, req, res }) {
      const account = await setPassword(deps, { ...body, from: auditOrigin(req) });
      // The way in that nobody who guesses passwords can close.
      setDeviceCookie(res, await deps.devices.token(account, deps.now()), deps);
    },
  });
}
