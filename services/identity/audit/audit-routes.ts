import { auditActions, auditCredentials, auditTargetKinds, oneOf } from '@app/contracts';
import { answer, freeText, id, named, type Route } from '@app/http';
import { listRoutes } from '@app/http/lists';
import Joi from 'joi';
import { type AuditEntry, entryResponse, retentionDays, usersOf } from './audit-entry.ts';
import { auditList } from './audit-list.ts';
import { type AuditLogStore, type EntryDocument, toEntry } from './audit-log-store.ts';

type Named = { id: string; first_name: string; last_name: string };
type Deps = {
  auditLog: Pick<AuditLogStore, 'read'>;
  /** Those of the ids that are users of the company. */
  users: { findOf(companyId: string, ids: string[]): Promise<Named[]> };
};

const value = Joi.alternatives()
  .try(freeText, Joi.boolean(), Joi.array().items(Joi.string().allow('')))
  .allow(null);
/** The log also shows what a later version has written. */
const atLeast = (values: readonly string[]) => oneOf(values).description('later versions may add some');
const entrySchema = named('AuditEntry', {
  id,
  at: Joi.string().isoDate(),
  action: atLeast(auditActions),
  actor: answer({
    kind: Joi.string().valid('user', 'platform', 'unknown').description('platform: its administration'),
    user_id: id.allow(null),
    name: freeText.description('as the user is called now'),
    credential: atLeast(auditCredentials).allow(null),
    api_token_id: id.allow(null).description('null also if it is not known'),
  }),
  from: answer({ address: freeText.description('null if it is not known'), user_agent: freeText }),
  target: answer({ kind: atLeast(auditTargetKinds), id: Joi.string(), name: freeText }).allow(null),
  details: answer({
    changes: Joi.array()
      .items(answer({ field: Joi.string(), before: value, after: value }))
      .description('values of permissions and the like alone; of everything else both are null'),
    reason: freeText.description('why it was refused'),
    count: Joi.number().integer().allow(null).description('of `login.accepted`: failed logins just before'),
  }),
});

export function auditRoutes({ auditLog, users }: Deps): Route[] {
  return listRoutes<EntryDocument>({
    base: { host: 'ts', path: '/audit', tag: 'Audit log', access: { permission: 'admin' } },
    summary: ['The audit log of your company', 'Download the audit log of your company for a spreadsheet'],
    description: `Who did what, when and from where; the newest first, of the last ${retentionDays} days.`,
    list: auditList,
    read: auditLog.read,
    byDefault: { by: 'at', order: 'desc' },
    async show(found, { caller: { companyId } }) {
      const entries = found.map(toEntry);
      const names = await namesIn({ users }, companyId, entries);
      return entries.map((entry) => entryResponse(entry, names));
    },
    item: entrySchema,
    names: { items: 'items', cursor: 'nextCursor', file: 'audit' },
  });
}

async function namesIn({ users }: Pick<Deps, 'users'>, companyId: string, entries: AuditEntry[]) {
  const found = await users.findOf(companyId, [...new Set(entries.flatMap(usersOf))]);
  return new Map(found.map((user) => [user.id, `${user.first_name} ${user.last_name}`.trim()]));
}
