import { AppError } from '@app/kernel';
import { isDuplicateKey, type SecretBox } from '@app/runtime';
import type { Connection as Database } from 'mongoose';
import { type Connection, type ConnectionPatch, type NewConnection, sealContext } from './connection.ts';
import { type ConnectionRecord, connectionRecords } from './connection-record-store.ts';

/** A company's connections, for the routes. Nothing here gives a secret back. */
export type ConnectionStore = {
  /** Ascending by id: oldest first. */
  list(client: string): Promise<Connection[]>;
  find(id: string, client: string): Promise<Connection | null>;
  /** @throws AppError conflict `connection_active_exists`, `connection_limit` */
  add(created: NewConnection & { id: string; client: string; at: Date }): Promise<Connection>;
  /** Null where it is gone. @throws AppError conflict `connection_active_exists` */
  change(id: string, client: string, change: ConnectionPatch & { at: Date }): Promise<Connection | null>;
  /** Its secrets go with it. False where it is gone already. */
  remove(id: string, client: string, at: Date): Promise<boolean>;
  /** Seals anew, under the first key, what an older one sealed; gives the number of connections that it changed. */
  reEncrypt(): Promise<number>;
};

/** One company has no more, deleted ones aside; a few more may slip in where many are made at once. */
const connectionLimit = 100;
const healthy = { status: 'ok', reason: null, since: null } as const;
const secretFields = ['apiKey', 'webhookSecret'] as const;

export function createConnectionStore({
  database,
  secrets,
}: {
  database: Database;
  secrets: SecretBox;
}): ConnectionStore {
  const records = connectionRecords(database);
  const seal = (id: string, field: (typeof secretFields)[number], secret: string | undefined) =>
    secret === undefined ? null : secrets.seal(secret, sealContext(id, field));

  return {
    async list(client) {
      const found = records.find({ client, deleted: false }).hint('client').sort({ _id: 1 });
      return (await found.limit(2 * connectionLimit).toArray()).map(toConnection);
    },
    async find(id, client) {
      const found = await records.findOne({ _id: id, client, deleted: false });
      return found && toConnection(found);
    },
    async add({ id, client, provider, active, at, ...given }) {
      if ((await records.countDocuments({ client, deleted: false }, { limit: connectionLimit })) >= connectionLimit) {
        throw new AppError('conflict', 'connection_limit', `a company has at most ${connectionLimit} connections`);
      }
      const record: ConnectionRecord = {
        _id: id,
        client,
        provider,
        active,
        deleted: false,
        apiKey: seal(id, 'apiKey', given.apiKey),
        webhookSecret: seal(id, 'webhookSecret', given.webhookSecret),
        credentialsVersion: 1,
        lastPolledAt: null,
        createdAt: at,
        updatedAt: at,
        health: healthy,
        heldUntil: null,
        ...(active ? { pollDueAt: at } : {}),
        pollFailures: 0,
      };
      await oneActive(records.insertOne(record));
      return toConnection(record);
    },
    async change(id, client, { at, active, apiKey, webhookSecret }) {
      const sealed = {
        ...(apiKey === undefined ? {} : { apiKey: { $literal: seal(id, 'apiKey', apiKey) } }),
        ...(webhookSecret === undefined
          ? {}
          : { webhookSecret: { $literal: seal(id, 'webhookSecret', webhookSecret) } }),
      };
      const update = { ...sealed, ...(active === undefined ? {} : { active }), updatedAt: at };
      const changed = await oneActive(
        records.findOneAndUpdate(
          { _id: id, client, deleted: false },
          [
            { $set: { ...update, ...(apiKey === undefined ? {} : newCredentials) } },
            ...((active ?? apiKey) === undefined ? [] : pollAnew(at)),
          ],
          { returnDocument: 'after' },
        ),
      );
      return changed && toConnection(changed);
    },
    async remove(id, client, at) {
      const { matchedCount } = await records.updateOne(
        { _id: id, client, deleted: false },
        {
          $set: { deleted: true, active: false, apiKey: null, webhookSecret: null, updatedAt: at },
          $unset: { pollDueAt: 1, pollLease: 1 },
        },
      );
      return matchedCount === 1;
    },
    async reEncrypt() {
      let changed = 0;
      for await (const record of records.find({ deleted: false }).sort({ _id: 1 })) {
        const before = secretFields.filter(
          (field) => record[field] !== null && !secrets.isSealedWithCurrentKey(record[field]),
        );
        if (before.length === 0) continue;
        const sealedAnew = before.map((field) => {
          const context = sealContext(record._id, field);
          return [field, secrets.seal(secrets.open(String(record[field]), context), context)];
        });
        // Only over what was read: a secret that somebody replaced meanwhile is newer, and sealed by the first key.
        const unchanged = { _id: record._id, apiKey: record.apiKey, webhookSecret: record.webhookSecret };
        const { modifiedCount } = await records.updateOne(unchanged, { $set: Object.fromEntries(sealedAnew) });
        changed += modifiedCount;
      }
      return changed;
    },
  };
}

/** A new key is tried at once, whatever was found out with the old one. */
const newCredentials = {
  credentialsVersion: { $add: ['$credentialsVersion', 1] },
  health: healthy,
  heldUntil: null,
  pollFailures: 0,
};

/** Polled at once where it was switched on or given a new key; never again where it is off. A poll under way has lost its lease. */
function pollAnew(at: Date): object[] {
  return [{ $set: { pollDueAt: { $cond: ['$active', at, '$$REMOVE'] }, pollLease: '$$REMOVE' } }];
}

async function oneActive<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicateKey(error, 'oneActive')) throw error;
    throw new AppError(
      'conflict',
      'connection_active_exists',
      'there is an active connection to this provider already',
    );
  }
}

function toConnection(record: ConnectionRecord): Connection {
  const { _id: id, client, provider, active, lastPolledAt, health, createdAt, updatedAt } = record;
  const has = { hasCredentials: record.apiKey !== null, hasWebhookSecret: record.webhookSecret !== null };
  return { id, client, provider, active, ...has, lastPolledAt, health, createdAt, updatedAt };
}
