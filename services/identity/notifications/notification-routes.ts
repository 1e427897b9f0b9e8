import { type Caller, type CompanyKind, notificationKinds, oneOf } from '@app/contracts';
import { answer, id, named, type Route, responseSent, route } from '@app/http';
import { type Page, readPage, ValidationError } from '@app/kernel';
import Joi from 'joi';
import { pageQuery, pageReply } from '../page-schemas.ts';
import { currentSession } from '../sessions/session-routes.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { notificationResponse } from './notification.ts';
import { canGet, emailModes, type Setting, type Settings, settingsOf } from './notification-settings.ts';
import type { NotificationStore } from './notification-store.ts';
import type { NotificationStreams } from './notification-streams.ts';

type Deps = {
  notifications: NotificationStore;
  users: Pick<UserStore, 'named'>;
  sessions: Pick<SessionStore, 'find'>;
  streams: Pick<NotificationStreams, 'open'>;
  now: () => Date;
};
type Query = Page & { unread?: boolean };
type Read = { ids: string[] } | { all: true };
type Kinds = { kinds: Settings };

const base = { host: 'ts', tag: 'Notifications', access: { permission: null } } as const;
const kept = 'Notifications are kept for 90 days.';
const unreadReply = { status: 200, schema: answer({ unread: Joi.number().description('at most 1,000') }) } as const;

const text = Joi.string().allow('');

const notificationReply = named('Notification', {
  id,
  kind: oneOf(notificationKinds),
  ticket: Joi.object({ id: id.required(), number: text.required(), title: text.required() }).allow(null),
  invoice: Joi.object({ id: id.required(), number: text.required() }).allow(null),
  endpoint: Joi.object({ id: id.required(), host: text.required() }).allow(null).description('of webhooks'),
  actor: Joi.object({ id: id.required(), firstName: text.required(), lastName: text.required() })
    .allow(null)
    .description('who did it; null: nobody, or a time that came'),
  text: text
    .allow(null)
    .description(
      'the beginning of the note, the reference of the quote, the start of the date, the clock and its due date (`finish 2026-11-30T10:40:00.000Z`), the supplier of the invoice, the name of the endpoint',
    ),
  visibility: Joi.string().valid('shared', 'internal', 'managers').allow(null).description('of the note'),
  created_at: Joi.string().isoDate(),
  read_at: Joi.string().isoDate().allow(null),
});

const setting = Joi.object<Setting>({
  console: Joi.boolean().required().description('it stands in your list'),
  email: oneOf(emailModes)
    .required()
    .description('at once, in an e-mail a day or on Mondays with all that is new, or never'),
});
const settings = Joi.object<Kinds>({
  kinds: Joi.object<Settings>(Object.fromEntries(notificationKinds.map((kind) => [kind, setting]))).required(),
});

/** What a user is told, and by which ways. */
export function notificationRoutes(deps: Deps): Route[] {
  return [listRoute(deps), countRoute(deps), streamRoute(deps), readRoute(deps), ...settingsRoutes(deps)];
}

function listRoute({ notifications, users }: Deps): Route {
  return route<object, Query>({
    ...base,
    method: 'get',
    path: '/notifications',
    summary: 'List your notifications',
    description: `Newest first, as far as you may read now what they are about. ${kept}`,
    query: (pageQuery as Joi.ObjectSchema<Query>).keys({ unread: Joi.boolean().description('only those unread') }),
    reply: { status: 200, schema: pageReply(notificationReply) },
    async handle({ query, caller }) {
      const read = (wanted: Query) => notifications.list(caller, wanted);
      const page = await readPage(query, read, ({ _id }) => _id);
      const people = await users.named(page.items.flatMap(({ actor_id }) => actor_id ?? []));
      return { ...page, items: page.items.map((found) => notificationResponse(found, people)) };
    },
  });
}

function countRoute({ notifications }: Deps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/notifications/count',
    summary: 'Count your unread notifications',
    reply: unreadReply,
    handle: async ({ caller }) => ({ unread: await notifications.countUnread(caller) }),
  });
}

function streamRoute(deps: Deps): Route {
  return route({
    ...base,
    method: 'get',
    path: '/notifications/stream',
    summary: 'Follow how many of your notifications are unread',
    description:
      'Server-sent events: `event: notification` with `data: {"unread": 2}` at first and whenever that may have changed, and comments in between. ' +
      'It ends with your session, and when a process stops: call it again then, as an `EventSource` does. At most 20 at once.',
    errors: ['429 too_many_streams'],
    reply: { status: 200, file: ['text/event-stream'] },
    async handle({ req, res, caller }) {
      await deps.streams.open(caller, await currentSession(deps, req, caller), res);
      return responseSent;
    },
  });
}

function readRoute({ notifications, now }: Deps): Route {
  return route<object, object, Read>({
    ...base,
    method: 'post',
    path: '/notifications/read',
    summary: 'Mark notifications as read',
    description: 'Some of them, or all. Ids that are not yours have no effect.',
    body: Joi.object<{ ids?: string[]; all?: true }>({
      ids: Joi.array().items(id).min(1).max(200),
      all: Joi.boolean().valid(true),
    }).xor('ids', 'all') as unknown as Joi.ObjectSchema<Read>,
    reply: unreadReply,
    async handle({ body, caller }) {
      await notifications.markRead(caller, 'ids' in body ? body.ids : null, now());
      return { unread: await notifications.countUnread(caller) };
    },
  });
}

function settingsRoutes({ notifications }: Deps): Route[] {
  const current = async (caller: Caller): Promise<Kinds> => {
    const chosen = (await notifications.chosen(caller.companyId, [caller.userId])).get(caller.userId) ?? {};
    return { kinds: settingsOf(chosen, caller, caller.companyKind) };
  };
  const shared = { ...base, path: '/notifications/settings', reply: { status: 200, schema: settings } } as const;
  return [
    route({
      ...shared,
      method: 'get',
      summary: 'Read your settings of notifications',
      description: 'Of the kinds that you can get by your permissions. What you have not chosen is as by default.',
      handle: ({ caller }) => current(caller),
    }),
    route<object, object, Kinds>({
      ...shared,
      method: 'put',
      summary: 'Choose which notifications you get, and how',
      description: 'Kinds that are not named stay as they are.',
      body: settings,
      async handle({ body, caller }) {
        checkKinds(body.kinds, caller, caller.companyKind);
        await notifications.choose({ company_id: caller.companyId, user_id: caller.userId }, body.kinds);
        return current(caller);
      },
    }),
  ];
}

/** @throws ValidationError at each kind that the user cannot get */
function checkKinds(kinds: Settings, caller: Caller, companyKind: CompanyKind): void {
  const foreign = notificationKinds.filter((kind) => kinds[kind] && !canGet(kind, caller, companyKind));
  if (foreign.length === 0) return;
  throw new ValidationError(
    foreign.map((kind) => ({ path: `kinds.${kind}`, message: `kinds.${kind} is not for your permissions` })),
  );
}
