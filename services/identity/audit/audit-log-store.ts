// Identity writes its entries in the transaction of the change; other services save theirs in the outbox of what they change. A log that
// is written beside a change lacks entries after a crash, or tells what was rolled back.

import { indexFields } from '@app/kernel';
import { collectionOf, createCompanyList, createListReader, documentSchema } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';
import { type AuditEntry, retentionDays, usersOf } from './audit-entry.ts';
import { auditList } from './audit-list.ts';

/** Entries are added and read: nothing here changes or removes one. */
export type AuditLogStore = ReturnType<typeof createAuditLogStore>;

/** `user_ids`: the users whom it is about, for the filter. */
export type EntryDocument = Omit<AuditEntry, 'id'> & { _id: string; user_ids: string[] };

const entrySchema = documentSchema<EntryDocument>('audit_entries');
for (const { name, fields } of indexFields(auditList)) entrySchema.index(fields, { name });
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
    /** Takes as long as `add`: for a login to an account that does not exist, so that the time does not reveal that. */
    addNothing: (): Promise<void> => add([nothing]),
    /** By the driver, as lists are read. */
    read: createCompanyList<EntryDocument>(auditList, createListReader(collectionOf(model), {})),
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

function toDocument({ id, ...entry }: AuditEntry): EntryDocument {
  return { _id: id, ...entry, user_ids: usersOf(entry) };
}

export function toEntry({ _id, user_ids: _users, ...entry }: EntryDocument): AuditEntry {
  return { id: _id, ...entry };
}
