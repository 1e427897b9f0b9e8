import { type AuditAction, erasedDomain, oneOf, permissions, userSchema } from '@app/contracts';
import { answer, auditSource, type Context, id, named, type Route, route } from '@app/http';
import { type Page, readPage, ValidationError } from '@app/kernel';
import { maxLookedAt } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import Joi from 'joi';
import { auditEntry } from '../audit/audit-entry.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { existingCompany } from '../companies/company-routes.ts';
import type { CompanyStore } from '../companies/company-store.ts';
import { pageReply, platformRoute, searchQuery } from '../page-schemas.ts';
import { addUser } from './add-user.ts';
import type { PasswordHasher } from './password.ts';
import { createUser, type NewUser, type User, userNotFound, userResponse, userSnapshot } from './user.ts';
import type { UserStore } from './user-store.ts';

type Deps = {
  users: UserStore;
  companies: CompanyStore;
  passwords: PasswordHasher;
  auditLog: Pick<AuditLogStore, 'add'>;
  now: () => Date;
};

export const passwordSchema = Joi.string().min(12).max(200);

/** They travel in a header of every request. */
const maxPlaces = 50;

/** What people call a user, and what the user may do. */
export const userFields = {
  first_name: Joi.string().max(200),
  last_name: Joi.string().max(200),
  phone: Joi.string().max(50).allow(null),
  permissions: Joi.array().items(oneOf(permissions)).unique(),
  place_ids: Joi.array()
    .items(id)
    .unique()
    .max(maxPlaces)
    .description('the `locations` to which the user is limited, with what is below them; empty: every place'),
};

/** Of a user without company and password. */
export const newUserFields = {
  email: Joi.string()
    .email({ tlds: false })
    .max(254)
    .custom((given: string, helpers) => {
      const email = given.toLowerCase();
      return email.endsWith(`@${erasedDomain}`)
        ? helpers.message({ custom: '{{#label}} is kept for erased persons' })
        : email;
    })
    .required(),
  first_name: userFields.first_name.required(),
  last_name: userFields.last_name.required(),
  phone: userFields.phone,
  permissions: userFields.permissions.required(),
  place_ids: userFields.place_ids,
};

const newUser = Joi.object<NewUser & { password: string }>({
  company_id: id.required(),
  ...newUserFields,
  password: passwordSchema.required(),
});

const userQuery = (searchQuery as Joi.ObjectSchema<Page & { q?: string; company_id?: string }>).keys({
  company_id: id.description('only the users of this company'),
});

/** As administrators see a user. */
export const userReplyFields = {
  id,
  company_id: id,
  email: Joi.string(),
  first_name: Joi.string().allow(''),
  last_name: Joi.string().allow(''),
  phone: Joi.string().allow(null),
  permissions: userFields.permissions,
  place_ids: userFields.place_ids,
  active: Joi.boolean().description('one who is not active is out everywhere'),
  invited: Joi.boolean().description('has not set a password yet'),
  created_at: Joi.string().isoDate(),
  mail_bounced_at: Joi.string()
    .isoDate()
    .allow(null)
    .description('an e-mail to the address came back then, and nothing shows since that it is right again'),
  invitation: answer({
    state: Joi.string()
      .valid('sending', 'sent', 'failed')
      .description(
        'sent: the mail server took it; failed: it was given up, after 24 hours or because the server refused it',
      ),
    asked_at: Joi.string().isoDate(),
  })
    .optional()
    .description('the last invitation by e-mail of a user who has not accepted it yet'),
  erasure: answer({
    state: Joi.string().valid('running', 'done').description('done: no service keeps anything of this person'),
    requested_at: Joi.string().isoDate(),
    done_at: Joi.string().isoDate().allow(null),
  })
    .optional()
    .description('of a user who was erased'),
};
export const userReply = named('User', userReplyFields);

/** More than a ticket can name of one kind, and short enough for a URL. */
const maxIds = 200;
const idList = Joi.string()
  .custom((text: string, helpers) => {
    const ids = text.split(',');
    const valid = ids.length <= maxIds && ids.every((one) => !id.validate(one).error);
    return valid
      ? ids.map((one) => one.toLowerCase())
      : helpers.message({ custom: '{{#label}} must be ids with commas' });
  })
  .description('ids with commas between them, at most 200');

export function userRoutes(deps: Deps): Route[] {
  return [...administration(deps), ...internal(deps)];
}

function administration({ users, companies, passwords, auditLog, now }: Deps): Route[] {
  return [
    route({
      ...platformRoute,
      method: 'post',
      path: '/admin/users',
      summary: 'Create a user of a company',
      errors: ['409 email_taken', '409 user_limit'],
      body: newUser,
      reply: { status: 201, schema: userReply },
      async handle({ body, write, ...request }) {
        if (!(await companies.find(body.company_id))) {
          throw new ValidationError([{ path: 'company_id', message: 'company_id is no company' }]);
        }
        const passwordHash = await passwords.hash(body.password);
        const created = createUser(body, now());
        const entry = userEntry(created.user, 'user.created', { request, at: now() });
        const alongside = (within: Within) => auditLog.add([entry], within);
        const { user } = await addUser({ users, companies }, { ...created, passwordHash }, { write, alongside });
        return userResponse(user);
      },
    }),
    route({
      ...platformRoute,
      method: 'get',
      path: '/admin/users',
      summary: 'List users',
      description: `\`q\` finds them by name and e-mail address. It looks at ${maxLookedAt} users that have its longest word, and needs another word if there are more.`,
      query: userQuery,
      reply: { status: 200, schema: pageReply(userReply) },
      async handle({ query: { q, company_id, ...query } }) {
        const read = (page: Page) =>
          q === undefined ? users.list(page, company_id) : users.search(q, page, company_id);
        const page = await readPage(query, read, (last) => last.id);
        return { ...page, items: page.items.map(userResponse) };
      },
    }),
  ];
}

/** Company and target of an audit entry about a user. */
export function auditedUser({ id, company_id: companyId }: Pick<User, 'id' | 'company_id'>, action: AuditAction) {
  return { companyId, action, target: { kind: 'user', id, name: null } };
}

type Act = { request: Pick<Context<never, never, never, never>, 'principal' | 'req'>; at: Date };

/** The audit entry of what a request did to a user. */
export function userEntry(user: Pick<User, 'id' | 'company_id'>, action: AuditAction, { request, at }: Act) {
  return auditEntry({ ...auditedUser(user, action), ...auditSource(request) }, at);
}

/** Loads the user of the path if they are of the caller's company; the existence of others is not revealed. @throws AppError not_found */
export function loadUser(users: Pick<UserStore, 'findIn'>) {
  return async ({ params, caller }: { params: { id: string }; caller: { companyId: string } }): Promise<User> => {
    const user = await users.findIn(caller.companyId, params.id);
    if (!user) throw userNotFound();
    return user;
  };
}

function internal({ users, companies }: Deps): Route[] {
  return [
    route({
      host: 'internal',
      method: 'get',
      path: '/internal/users/:user_id',
      summary: 'A user, for a service whose copy lacks it',
      tag: 'Internal',
      access: { permission: null },
      params: Joi.object<{ user_id: string }>({ user_id: id.required() }),
      reply: { status: 200, schema: userSchema },
      async handle({ params }) {
        const user = await users.find(params.user_id);
        if (!user) throw userNotFound();
        return userSnapshot(user);
      },
    }),
    route({
      host: 'internal',
      method: 'get',
      path: '/internal/companies/:company_id/users',
      summary: 'Those of the given ids that are users of the company',
      tag: 'Internal',
      access: { permission: null },
      params: Joi.object<{ company_id: string }>({ company_id: id.required() }),
      query: Joi.object<{ ids: string[] }>({ ids: idList.required() }),
      load: ({ params }) => existingCompany(companies, params.company_id),
      reply: { status: 200, schema: Joi.object({ items: Joi.array().items(userSchema).required() }) },
      async handle({ resource: found, query }) {
        return { items: (await users.findOf(found.id, query.ids)).map(userSnapshot) };
      },
    }),
  ];
}
