import type { Connection as Database } from 'mongoose';
import type { ProviderAccount, SealedCredentials, UnhealthyReason } from './connection.ts';
import { type ConnectionRecord, connectionRecords } from './connection-store.ts';

/** Connections for background work: credentials, health and pauses. */
export type ProviderAccountStore = ReturnType<typeof createProviderAccountStore>;

export function createProviderAccountStore(database: Database) {
  const records = connectionRecords(database);

  return {
    /** Deleted connections included; an unknown id is left out. */
    async load(ids: string[]): Promise<Map<string, ProviderAccount>> {
      const found = await records.find({ _id: { $in: ids } }).toArray();
      return new Map(found.map((record) => [record._id, toAccount(record)]));
    },
    /** One connection, deleted or not. */
    async find(id: string): Promise<ProviderAccount | undefined> {
      const found = await records.findOne({ _id: id });
      return found ? toAccount(found) : undefined;
    },
    async findActive(client: string, provider: string): Promise<ProviderAccount | null> {
      const open = { companyClosed: { $ne: true } };
      const found = await records.findOne({ client, provider, active: true, deleted: false, ...open });
      return found && toAccount(found);
    },
    /** The active account, or the one that will be active once the company is open again. */
    async findCurrent(client: string, provider: string): Promise<ProviderAccount | null> {
      const found = await records.findOne({ client, provider, active: true, deleted: false });
      return found && toAccount(found);
    },
    /** The provider asked for a pause (429 or `retry-after`). */
    async pauseUntil(id: string, until: Date): Promise<void> {
      await records.updateOne({ _id: id }, { $max: { pausedUntil: until } });
    },
    /** The provider rejects the key of this version: paused until then, or until the connection gets another key. */
    async credentialsRefused({ id, credentialsVersion }: ProviderAccount, until: Date, at: Date): Promise<void> {
      const sameKey = { _id: id, credentialsVersion };
      // `since` stays if this is known already.
      await records.updateOne(
        { ...sameKey, 'health.reason': { $ne: 'credentials_refused' } },
        unhealthy('credentials_refused', at),
      );
      await records.updateOne(sameKey, { $max: { pausedUntil: until } });
    },
    async markUnhealthy(id: string, reason: UnhealthyReason, at: Date): Promise<void> {
      await records.updateOne({ _id: id, 'health.status': 'ok' }, unhealthy(reason, at));
    },
    /** A call with the key of this version succeeded. */
    async markHealthy({ id, credentialsVersion }: ProviderAccount): Promise<void> {
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
