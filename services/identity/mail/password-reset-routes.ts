import { forwardedAddress, type Route, route } from '@app/http';
import { AppError, newId } from '@app/kernel';
import Joi from 'joi';
import { resetKeys, tooManyAttempts } from '../sessions/login-throttle.ts';
import type { LoginThrottleStore } from '../sessions/login-throttle-store.ts';
import { newUserFields } from '../users/user-routes.ts';
import type { AccountMailStore } from './account-mail-store.ts';
import type { MailParts } from './mail.ts';

type Deps = {
  mails: AccountMailStore;
  throttle: LoginThrottleStore;
  /** Null while e-mail is off. */
  mailWorker: Pick<MailParts, 'notify'> | null;
  now: () => Date;
};

const address = Joi.object<{ email: string }>({ email: newUserFields.email });

/**
 * The route that asks for a link to set a new password. It does not look the address up, so neither the response nor
 * its time reveals whether the address is a user's.
 */
export function passwordResetRoutes({ mails, throttle, mailWorker, now }: Deps): Route[] {
  return [
    route({
      host: 'ts',
      method: 'post',
      path: '/auth/password-reset',
      summary: 'Ask for a new password',
      errors: ['409 email_off', '429 too_many_attempts'],
      description:
        'Whoever has the address gets an e-mail with a link that sets the password, once, within an hour. The answer is the same for an ' +
        'address that is no user’s. 409 `email_off` where no mail server is set: then an admin of the company makes the link.',
      tag: 'Session',
      access: 'public',
      body: address,
      reply: { status: 202 },
      async handle({ body: { email }, req, res }) {
        if (!mailWorker) throw new AppError('conflict', 'email_off', 'ask an admin of your company for a link');
        const at = now();
        const retryAfterS = await throttle.recordFailure(resetKeys({ email, address: forwardedAddress(req) }), at);
        if (retryAfterS > 0) {
          throw tooManyAttempts(res, retryAfterS, 'too many requests for a new password; try again later');
        }
        const locale = languageOf(req.headers['accept-language']);
        await mails.add({
          id: newId(at),
          kind: 'password_reset',
          email,
          user_id: null,
          locale,
          created_at: at,
          tries: 0,
        });
        mailWorker.notify(email);
      },
    }),
  ];
}

/** The first language of an `Accept-Language` header. */
function languageOf(header: string | undefined): string | null {
  return /^[a-z]{2,3}\b/i.exec(header ?? '')?.[0].toLowerCase() ?? null;
}
