// Identity writes its entries in the transaction of the change; other services save theirs in the outbox of what they change. A log that
// is written beside a change lacks entries after a crash, or tells what was rolled back.

import type { TimePosition } from '@app/kernel';
import type { Within } from '@app/runtime/idempotency';
import { type Connection, Schema } from 'mongoose';
import { type AuditEntry, retentionDays, usersOf } from './audit-entry.ts';

export type LogFilter = { action?: string; user_id?: string; since?: Date; until?: Date };
/** `after`: the last entry of the page before. */
type LogPage = LogFilter & { limit: number; after?: TimePosition | null };

/** Entries are added and read: nothing here changes or removes one. */
export type AuditLogStore = ReturnType<typeof createAuditLogStore>;

/** `user_ids`: the users whom it is about, for the filter. */
type EntryDocument = Omit<AuditEntry, 'id'> & { _id: string; user_ids: string[] };

const entrySchema = new Schema<EntryDocument>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    company_id: { type: String, required: true },
    action: { type: String, required: true },
    user_ids: { type: [String], required: true },
    actor: { type: Object, required: true },
    from: { type: Object, required: true },
    target: { type: Object, default: null },
    details: { type: Object, required: true },
  },
  { versionKey: false, collection: 'audit_entries' },
);
entrySchema.index({ company_id: 1, at: -1, _id: -1 }, { name: 'company' });
entrySchema.index({ company_id: 1, action: 1, at: -1, _id: -1 }, { name: 'action' });
entrySchema.index({ company_id: 1, user_ids: 1, at: -1, _id: -1 }, { name: 'user' });
entrySchema.index({ company_id: 1, user_ids: 1, action: 1, at: -1, _id: -1 }, { name: 'userAction' });
entrySchema.index({ at: 1 }, { expireAfterSeconds: retentionDays * 24 * 3600, name: 'expiry' });

const nobody = '0'.repeat(24);

export function createAuditLogStore({ connection }: { connection: Connection }) {
  const model = connection.model<EntryDocument>('AuditEntry', entrySchema);

  async function add(documents: EntryDocument[], within: Within = {}): Promise<void> {
    if (documents.length === 0) return;
    // Upserts, not inserts: a duplicate key would end the transaction.
    const upserts = documents.map(({ _id, ...fields }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
    }));
    await model.bulkWrite(upserts, { ...within, timestamps: false });
  }

  return {
    /** An entry whose id is there already stays as it is. */
    add: (entries: AuditEntry[], within?: Within): Promise<void> => add(entries.map(toDocument), within),
    /**
     * Takes as long as `add`: for a login to an account that does not exist, so that the time does
     * not reveal that.
     */
    addNothing: (): Promise<void> => add([nothing]),
    /** The newest first. */
    async list(companyId: string, { limit, ...page }: LogPage): Promise<AuditEntry[]> {
      const found = model.find(logFilter(companyId, page)).sort({ at: -1, _id: -1 }).hint(indexFor(page));
      return (await found.limit(limit).lean<EntryDocument[]>()).map(toEntry);
    },
  };
}

/** The entry of `addNothing`: it belongs to no company, so nobody can read it. */
const nothing: EntryDocument = {
  _id: nobody,
  at: new Date(0),
  company_id: nobody,
  action: 'nothing',
  user_ids: [],
  target: null,
  actor: { kind: 'unknown', user_id: null, credential: null, api_token_id: null },
  from: { address: null, user_agent: null },
  details: { changes: [], reason: null, count: null },
};

function indexFor({ action, user_id }: LogFilter): string {
  if (user_id === undefined) return action === undefined ? 'company' : 'action';
  return action === undefined ? 'user' : 'userAction';
}

function logFilter(companyId: string, { action, user_id, since, until, after }: Omit<LogPage, 'limit'>) {
  const bounds = {
    ...(since ? { $gte: since } : {}),
    ...(until ? { $lt: until } : {}),
    ...(after ? { $lte: after.at } : {}),
  };
  return {
    company_id: companyId,
    ...(user_id === undefined ? {} : { user_ids: user_id }),
    ...(action === undefined ? {} : { action }),
    ...(Object.keys(bounds).length > 0 ? { at: bounds } : {}),
    // Without the entries of that millisecond that the previous page has.
    ...(after ? { $nor: [{ at: after.at, _id: { $gte: after.id } }] } : {}),
  };
}

function toDocument({ id, ...entry }: AuditEntry): EntryDocument {
  return { _id: id, ...entry, user_ids: usersOf(entry) };
}

function toEntry({ _id, user_ids: _users, ...entry }: EntryDocument): AuditEntry {
  return { id: _id, ...entry };
}
