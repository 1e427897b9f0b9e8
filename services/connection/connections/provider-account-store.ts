import type { Connection as Database } from 'mongoose';
import type { ProviderAccount, SealedCredentials, UnhealthyReason } from './connection.ts';
import { type ConnectionRecord, connectionRecords } from './connection-store.ts';

/** Connections for background work: credentials, health and pauses. */
export type ProviderAccountStore = {
  /** Deleted connections included; an unknown id is left out. */
  load(ids: string[]): Promise<Map<string, ProviderAccount>>;
  /** One connection, deleted or not. */
  find(id: string): Promise<ProviderAccount | undefined>;
  findActive(client: string, provider: string): Promise<ProviderAccount | null>;
  /** The active account, or the one that will be active once the company is open again. */
  findCurrent(client: string, provider: string): Promise<ProviderAccount | null>;
  /** The provider asked for a pause (429 or `retry-after`). */
  pauseUntil(id: string, until: Date): Promise<void>;
  /** The provider rejects the key of this version: paused until then, or until the connection gets another key. */
  credentialsRefused(account: ProviderAccount, until: Date, at: Date): Promise<void>;
  markUnhealthy(id: string, reason: UnhealthyReason, at: Date): Promise<void>;
  /** A call with the key of this version succeeded. */
  markHealthy(account: ProviderAccount): Promise<void>;
};

export function createProviderAccountStore(database: Database): ProviderAccountStore {
  const records = connectionRecords(database);

  return {
    async load(ids) {
      const found = await records.find({ _id: { $in: ids } }).toArray();
      return new Map(found.map((record) => [record._id, toAccount(record)]));
    },
    async find(id) {
      const found = await records.findOne({ _id: id });
      return found ? toAccount(found) : undefined;
    },
    async findActive(client, provider) {
      const open = { companyClosed: { $ne: true } };
      const found = await records.findOne({ client, provider, active: true, deleted: false, ...open });
      return found && toAccount(found);
    },
    async findCurrent(client, provider) {
      const found = await records.findOne({ client, provider, active: true, deleted: false });
      return found && toAccount(found);
    },
    async pauseUntil(id, until) {
      await records.updateOne({ _id: id }, { $max: { pausedUntil: until } });
    },
    async credentialsRefused({ id, credentialsVersion }, until, at) {
      const sameKey = { _id: id, credentialsVersion };
      // `since` stays if this is known already.
      await records.updateOne(
        { ...sameKey, 'health.reason': { $ne: 'credentials_refused' } },
        unhealthy('credentials_refused', at),
      );
      await records.updateOne(sameKey, { $max: { pausedUntil: until } });
    },
    async markUnhealthy(id, reason, at) {
      await records.updateOne({ _id: id, 'health.status': 'ok' }, unhealthy(reason, at));
    },
    async markHealthy({ id, credentialsVersion }) {
      await records.updateOne(
        { _id: id, credentialsVersion, 'health.status': 'unhealthy' },
        { $set: { health: { status: 'ok', reason: null, since: null }, pollFailures: 0 } },
      );
    },
  };
}

function unhealthy(reason: UnhealthyReason, at: Date) {
  return { $set: { health: { status: 'unhealthy' as const, reason, since: at } } };
}

export function toAccount(record: ConnectionRecord): ProviderAccount {
  const { _id: id, client, provider, credentialsVersion, health, createdAt, lastPolledAt } = record;
  return {
    id,
    client,
    provider,
    credentialsVersion,
    createdAt,
    lastPolledAt,
    state: stateOf(record),
    sealedCredentials: credentialsOf(record),
    sealedWebhookSecret: record.webhookSecret,
    organizationId: record.organizationId ?? null,
    subscription: subscriptionOf(record),
    subscriptionCheckedAt: record.subscriptionCheckedAt ?? null,
    pollFailures: record.pollFailures,
    health: health.status,
    credentialsRefused: health.reason === 'credentials_refused',
    pausedUntil: record.pausedUntil,
    seenUntil: record.seenUntil ?? null,
  };
}

function credentialsOf({
  apiKey,
  oauthClientSecret: clientSecret,
  ...record
}: ConnectionRecord): SealedCredentials | null {
  if (apiKey !== null) return { apiKey };
  const { oauthClientId: clientId, oauthTokenUrl: tokenUrl = null } = record;
  return clientSecret === null || clientId === undefined ? null : { clientId, clientSecret, tokenUrl };
}

function subscriptionOf({ subscriptionId: id, signingKey }: ConnectionRecord): ProviderAccount['subscription'] {
  return id === undefined ? null : { id, sealedSigningKey: signingKey };
}

function stateOf({ deleted, active, companyClosed = false }: ConnectionRecord): ProviderAccount['state'] {
  if (deleted) return 'deleted';
  if (!active) return 'inactive';
  return companyClosed ? 'suspended' : 'active';
}
