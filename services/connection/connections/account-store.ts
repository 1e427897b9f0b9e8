import { createBatcher } from '@app/runtime';
import type { Connection as Database } from 'mongoose';
import { Schema } from 'mongoose';
import type { Account, UnhealthyReason } from './connection.ts';
import { type ConnectionRecord, connectionRecords } from './connection-record-store.ts';

/** Connections as the work behind them needs them: whom to call, with which key, and whether at all. */
export type AccountStore = {
  /** Those of the ids that there are, deleted ones included. */
  load(ids: string[]): Promise<Map<string, Account>>;
  /** One of them, whether or not deleted. */
  find(id: string): Promise<Account | undefined>;
  activeOf(client: string, provider: string): Promise<Account | null>;
  /** The provider asked for a pause. */
  hold(id: string, until: Date): Promise<void>;
  /** The provider refuses the key of this version: not called any more until then, or until there is another key. */
  refused(account: Account, until: Date, at: Date): Promise<void>;
  /** Something was given up. */
  failing(id: string, reason: UnhealthyReason, at: Date): Promise<void>;
  /** A call with the key of this version succeeded. */
  recovered(account: Account): Promise<void>;
  /** Companies that exist, whether or not they have connections. */
  keepClient(id: string): Promise<void>;
  isClient(id: string): Promise<boolean>;
};

const clientSchema = new Schema(
  { _id: { type: String, required: true } },
  { versionKey: false, collection: 'clients' },
);

const askedAtOnce = 100;

export function createAccountStore(database: Database): AccountStore {
  const records = connectionRecords(database);
  const clients = database.model('Client', clientSchema);

  async function load(ids: string[]): Promise<Map<string, Account>> {
    const found = await records.find({ _id: { $in: ids } }).toArray();
    return new Map(found.map((record) => [record._id, toAccount(record)]));
  }
  // Those that are asked for at once, as of a burst of feedback, are one question.
  const batches = createBatcher({
    maxBatch: askedAtOnce,
    run: async (ids: string[]) => {
      const found = await load([...new Set(ids)]);
      return ids.map((id) => found.get(id));
    },
  });

  return {
    load,
    find: (id) => batches.add(id),
    async activeOf(client, provider) {
      const found = await records.findOne({ client, provider, active: true, deleted: false });
      return found && toAccount(found);
    },
    async hold(id, until) {
      await records.updateOne({ _id: id }, { $max: { heldUntil: until } });
    },
    async refused({ id, credentialsVersion }, until, at) {
      const same = { _id: id, credentialsVersion };
      await records.updateOne(
        { ...same, 'health.reason': { $ne: 'credentials_refused' } },
        unhealthy('credentials_refused', at),
      );
      await records.updateOne(same, { $max: { heldUntil: until } });
    },
    async failing(id, reason, at) {
      await records.updateOne({ _id: id, 'health.status': 'ok' }, unhealthy(reason, at));
    },
    async recovered({ id, credentialsVersion }) {
      await records.updateOne(
        { _id: id, credentialsVersion, 'health.status': 'unhealthy' },
        { $set: { health: { status: 'ok', reason: null, since: null }, pollFailures: 0 } },
      );
    },
    async keepClient(id) {
      await clients.updateOne({ _id: id }, { $setOnInsert: { _id: id } }, { upsert: true });
    },
    isClient: async (id) => (await clients.exists({ _id: id })) !== null,
  };
}

function unhealthy(reason: UnhealthyReason, at: Date) {
  return { $set: { health: { status: 'unhealthy' as const, reason, since: at } } };
}

export function toAccount(record: ConnectionRecord): Account {
  const { _id: id, client, provider, credentialsVersion, health, heldUntil, createdAt, lastPolledAt } = record;
  return {
    id,
    client,
    provider,
    state: record.deleted ? 'deleted' : record.active ? 'active' : 'inactive',
    sealedApiKey: record.apiKey,
    sealedWebhookSecret: record.webhookSecret,
    credentialsVersion,
    health: health.status,
    refused: health.reason === 'credentials_refused',
    heldUntil,
    createdAt,
    lastPolledAt,
    seenUntil: record.seenUntil ?? null,
  };
}
