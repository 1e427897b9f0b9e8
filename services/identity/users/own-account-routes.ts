import { auditChanges } from '@app/contracts';
import { auditSource, named, type Route, route } from '@app/http';
import Joi from 'joi';
import { auditEntry } from '../audit/audit-entry.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { Preferences, PreferencesStore } from './preferences-store.ts';
import { changeUser, type User, userNotFound } from './user.ts';
import { auditedUser, userFields } from './user-routes.ts';
import type { UserStore } from './user-store.ts';

type Deps = {
  users: UserStore;
  preferences: PreferencesStore;
  auditLog: Pick<AuditLogStore, 'add'>;
  now: () => Date;
};
type Profile = Pick<User, 'first_name' | 'last_name' | 'phone'>;

const base = { host: 'ts', tag: 'Session', access: { permission: null } } as const;
const maxViewsLength = 16_384;

const { first_name, last_name, phone } = userFields;
const profileChange = Joi.object<Partial<Profile>>({ first_name, last_name, phone }).min(1);
const profile = named('Profile', {
  id: Joi.string(),
  email: Joi.string(),
  first_name: Joi.string().allow(''),
  last_name: Joi.string().allow(''),
  phone: Joi.string().allow(null),
});

const preferences = Joi.object<Preferences, true>({
  locale: Joi.string()
    .max(35)
    .custom(
      (text: string, helpers) => canonicalLocale(text) ?? helpers.message({ custom: '{{#label}} is no language' }),
    )
    .allow(null)
    .default(null)
    .description('BCP 47, `fr-FR`; null: as the browser says'),
  time_zone: Joi.string()
    .max(64)
    .custom((text: string, helpers) =>
      isTimeZone(text) ? text : helpers.message({ custom: '{{#label}} is no time zone' }),
    )
    .allow(null)
    .default(null)
    .description('IANA, `Europe/Paris`; null: as the browser says'),
  views: Joi.object()
    .unknown()
    .custom((value: object, helpers) =>
      JSON.stringify(value).length <= maxViewsLength
        ? value
        : helpers.message({ custom: `{{#label}} is longer than ${maxViewsLength} characters of JSON` }),
    )
    .default({})
    .description('what a user interface keeps for you; at most 16 KB of JSON'),
});

export function ownAccountRoutes(deps: Deps): Route[] {
  return [profileRoute(deps), ...preferencesRoutes(deps)];
}

function profileRoute({ users, auditLog, now }: Deps): Route {
  return route({
    ...base,
    method: 'patch',
    path: '/auth/profile',
    summary: 'Change your name or phone number',
    errors: ['404 user_not_found', '409 user_erased'],
    body: profileChange,
    reply: { status: 200, schema: profile },
    async handle({ body, caller, principal, req }) {
      const user = await users.change(caller.userId, async (current, session) => {
        const changed = changeUser(current, body, now());
        if (!changed) return null;
        const changes = auditChanges(current, changed.user, { names: Object.keys(body) });
        const audited = { ...auditedUser(current, 'user.changed'), ...auditSource({ principal, req }), changes };
        await auditLog.add([auditEntry(audited, now())], { session });
        return changed;
      });
      if (!user) throw userNotFound();
      const { id, email, first_name, last_name, phone } = user;
      return { id, email, first_name, last_name, phone };
    },
  });
}

function preferencesRoutes({ preferences: store }: Deps): Route[] {
  return [
    route({
      ...base,
      method: 'get',
      path: '/auth/preferences',
      summary: 'Read your preferences',
      reply: { status: 200, schema: preferences },
      handle: ({ caller }) => store.find(caller.userId),
    }),
    route({
      ...base,
      method: 'put',
      path: '/auth/preferences',
      summary: 'Replace your preferences',
      body: preferences,
      reply: { status: 200, schema: preferences },
      async handle({ body, caller }) {
        await store.put(caller.userId, body);
        return body;
      },
    }),
  ];
}

/** The canonical form, `fr-FR` of `fr-fr`; null if it is not a language tag. */
function canonicalLocale(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
