import { auditActions, auditCredentials, auditTargetKinds } from '@app/contracts';
import { answer, freeText, id, moment, named, type Route, route } from '@app/http';
import { decodeTimeCursor, encodeTimeCursor, readPage } from '@app/kernel';
import Joi from 'joi';
import { pageReply } from '../page-schemas.ts';
import { type AuditEntry, entryResponse, retentionDays, usersOf } from './audit-entry.ts';
import type { AuditLogStore, LogFilter } from './audit-log-store.ts';

type Named = { id: string; first_name: string; last_name: string };
type Deps = {
  auditLog: Pick<AuditLogStore, 'list'>;
  /** Those of the ids that are users of the company. */
  users: { findOf(companyId: string, ids: string[]): Promise<Named[]> };
};

type LogQuery = LogFilter & { limit: number; cursor?: string };
const logQuery = Joi.object<LogQuery>({
  limit: Joi.number().integer().min(1).max(200).default(50).description('items of a page'),
  cursor: Joi.string().max(100).description('`nextCursor` of the previous page'),
  action: Joi.string().valid(...auditActions),
  user_id: id.description('who did it, or whose account it was done to'),
  since: moment.description('at or after; an ISO date or milliseconds'),
  until: moment.description('before; an ISO date or milliseconds'),
});

const value = Joi.alternatives()
  .try(freeText, Joi.boolean(), Joi.array().items(Joi.string().allow('')))
  .allow(null);
/** The log also shows what a later version has written. */
const oneOf = (values: readonly string[]) =>
  Joi.string()
    .valid(...values)
    .description('later versions may add some');
const entrySchema = named('AuditEntry', {
  id,
  at: Joi.string().isoDate(),
  action: oneOf(auditActions),
  actor: answer({
    kind: Joi.string().valid('user', 'platform', 'unknown').description('platform: its administration'),
    user_id: id.allow(null),
    name: freeText.description('as the user is called now'),
    credential: oneOf(auditCredentials).allow(null),
    api_token_id: id.allow(null).description('null also if it is not known'),
  }),
  from: answer({ address: freeText.description('null if it is not known'), user_agent: freeText }),
  target: answer({ kind: oneOf(auditTargetKinds), id: Joi.string(), name: freeText }).allow(null),
  details: answer({
    changes: Joi.array()
      .items(answer({ field: Joi.string(), before: value, after: value }))
      .description('values of permissions and the like alone; of everything else both are null'),
    reason: freeText.description('why it was refused'),
    count: Joi.number().integer().allow(null).description('of `login.accepted`: failed logins just before'),
  }),
});

export function auditRoutes({ auditLog, users }: Deps): Route[] {
  return [
    route({
      host: 'ts',
      method: 'get',
      path: '/audit',
      summary: 'The audit log of your company',
      description: `Who did what, when and from where; the newest first, of the last ${retentionDays} days.`,
      errors: ['422 invalid_cursor'],
      tag: 'Audit log',
      access: { permission: 'admin' },
      query: logQuery,
      reply: { status: 200, schema: pageReply(entrySchema) },
      async handle({ query: { cursor, ...query }, caller: { companyId } }) {
        const after = decodeTimeCursor(cursor);
        const read = (wanted: typeof query) => auditLog.list(companyId, { ...wanted, after });
        const { items, nextCursor } = await readPage(query, read, encodeTimeCursor);
        const names = await namesIn({ users }, companyId, items);
        return { items: items.map((entry) => entryResponse(entry, names)), nextCursor };
      },
    }),
  ];
}

async function namesIn({ users }: Pick<Deps, 'users'>, companyId: string, page: AuditEntry[]) {
  const found = await users.findOf(companyId, [...new Set(page.flatMap(usersOf))]);
  return new Map(found.map((user) => [user.id, `${user.first_name} ${user.last_name}`.trim()]));
}
