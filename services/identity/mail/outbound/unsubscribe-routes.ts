import { type Route, responseSent, route } from '@app/http';
import { AppError } from '@app/kernel';
import type { NamedKey } from '@app/runtime';
import type { Response } from 'express';
import Joi from 'joi';
import type { CompanyStore } from '../../companies/company-store.ts';
import { type Settings, settingsOf } from '../../notifications/notification-settings.ts';
import type { NotificationStore } from '../../notifications/notification-store.ts';
import { createSignedTokens } from '../../sessions/signed-token.ts';
import type { PreferencesStore } from '../../users/preferences-store.ts';
import type { User } from '../../users/user.ts';
import type { UserStore } from '../../users/user-store.ts';
import { isFrench } from '../account-mail.ts';
import { escaped } from './notification-mail.ts';
import { english, french, type Texts } from './texts.ts';

const validMs = 365 * 24 * 3_600_000;

export type UnsubscribeLinks = ReturnType<typeof createUnsubscribeLinks>;

/** Links for a year that end e-mails of `what`: a kind of notification, or `daily` or `weekly`, all that come in such a digest. */
export function createUnsubscribeLinks({ keys, publicUrl }: { keys: NamedKey[]; publicUrl: string }) {
  const tokens = createSignedTokens({ keys, audience: 'unsubscribe' });
  return {
    async urlOf(subject: string, what: string, at: Date): Promise<string> {
      const token = await tokens.sign({ subject, id: what, expiresAt: new Date(at.getTime() + validMs) });
      return `${publicUrl.replace(/\/$/, '')}/mail/unsubscribe?token=${token}`;
    },
    read: (token: string, at: Date) => tokens.verify(token, at),
  };
}

type Deps = {
  unsubscribe: UnsubscribeLinks;
  users: Pick<UserStore, 'find'>;
  companies: Pick<CompanyStore, 'find'>;
  preferences: Pick<PreferencesStore, 'find'>;
  notifications: Pick<NotificationStore, 'chosen' | 'choose'>;
  now: () => Date;
};
type Query = { token: string };

const base = {
  host: 'ts',
  path: '/mail/unsubscribe',
  tag: 'E-mail',
  access: 'public',
  errors: ['404 unsubscribe_link_not_found'],
  query: Joi.object<Query>({ token: Joi.string().max(1_000).required() }),
  reply: { status: 200, file: ['text/html'] },
} as const;

/** The link under every notification by e-mail (RFC 8058). */
export function unsubscribeRoutes(deps: Deps): Route[] {
  return [
    route<object, Query>({
      ...base,
      method: 'get',
      summary: 'A page that asks whether to end e-mails of a kind',
      async handle({ query, res }) {
        const { user } = await owner(deps, query);
        const { title, ask, button } = (await textsFor(deps, user)).page;
        sendPage(res, title, `<p>${escaped(ask)}</p><form method="post"><button>${escaped(button)}</button></form>`);
        return responseSent;
      },
    }),
    route<object, Query>({
      ...base,
      method: 'post',
      summary: 'End e-mails of a kind',
      description: 'For mail programs, and for the page. The notifications stay in the console.',
      raw: { type: 'application/x-www-form-urlencoded', maxMb: 1 },
      async handle({ query, res }) {
        const { user, what } = await owner(deps, query);
        await end(deps, user, what);
        const { title, done } = (await textsFor(deps, user)).page;
        sendPage(res, title, `<p>${escaped(done)}</p>`);
        return responseSent;
      },
    }),
  ];
}

async function owner({ unsubscribe, users, now }: Deps, { token }: Query): Promise<{ user: User; what: string }> {
  const read = await unsubscribe.read(token, now());
  const user = read && (await users.find(String(read.sub)));
  if (user) return { user, what: String(read.jti) };
  throw new AppError('not_found', 'unsubscribe_link_not_found', 'choose your e-mails in your account instead');
}

async function end({ companies, notifications }: Deps, user: User, what: string): Promise<void> {
  const company = await companies.find(user.company_id);
  if (!company) return;
  const chosen = await notifications.chosen(company.id, [user.id]);
  const settings = Object.entries(settingsOf(chosen.get(user.id) ?? {}, user, company.kind));
  const ended = settings.filter(([kind, { email }]) => kind === what || email === what);
  const never: Settings = Object.fromEntries(ended.map(([kind, { console }]) => [kind, { console, email: 'never' }]));
  await notifications.choose({ user_id: user.id, company_id: company.id }, never);
}

async function textsFor({ preferences }: Deps, { id }: User): Promise<Texts> {
  return isFrench((await preferences.find(id)).locale) ? french : english;
}

function sendPage(res: Response, title: string, body: string): void {
  const policy = "default-src 'none'; form-action 'self'; frame-ancestors 'none'";
  res.setHeader('Content-Security-Policy', policy).setHeader('Cache-Control', 'no-store').type('html');
  res.send(`<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><h1>${escaped(title)}</h1>${body}`);
}
