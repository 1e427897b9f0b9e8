import type { DomainEvent, NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { collectionOf, documentSchema, isDuplicateKey, modelOf, type SealedTexts, type SecretBox } from '@app/runtime';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import type { Connection as Database, mongo } from 'mongoose';
import {
  type Connection,
  type ConnectionPatch,
  type Health,
  type NewConnection,
  type SecretField,
  sealContext,
  secretFields,
} from './connection.ts';

/**
 * The secrets (`secretFields`) are sealed; of `apiKey` and `oauthClientSecret` one is null. All are null once the connection is deleted, but
 * for the credentials that its subscription is ended with.
 */
export type ConnectionRecord = {
  _id: string;
  client: string;
  provider: string;
  active: boolean;
  deleted: boolean;
  apiKey: string | null;
  oauthClientSecret: string | null;
  oauthClientId?: string;
  /** Given by the company; absent: that of the provider. */
  oauthTokenUrl?: string;
  organizationId?: string;
  webhookSecret: string | null;
  credentialsVersion: number;
  /** The subscription at the provider, and the key that it signs with (`polls/subscription-store.ts`). */
  subscriptionId?: string;
  signingKey: string | null;
  subscriptionCheckedAt?: Date;
  /** Start of the last poll that completed. */
  lastPolledAt: Date | null;
  /**
   * The last change that the provider reported, by its clock: the next poll starts a little before
   * it (`pollSince`).
   */
  seenUntil?: Date;
  createdAt: Date;
  updatedAt: Date;
  health: Health;
  /** The provider is not called before this time. */
  pausedUntil: Date | null;
  /**
   * True while the company is closed, else absent; as of its version `companyVersion`
   * (`company-closure-store.ts`), which is absent if it was never closed.
   */
  companyClosed?: boolean;
  companyVersion?: number;
  /**
   * The next poll or, during a poll, the end of its lease. Only active connections of open companies have it, and those
   * whose subscription is to be ended.
   */
  pollDueAt?: Date;
  pollLease?: string;
  pollFailures: number;
  /** When a person last asked for a poll. */
  pollAskedAt?: Date;
} & WithOutbox;

const schema = documentSchema<ConnectionRecord>('connections');
// One active connection per company and provider: the database refuses the second of two concurrent inserts.
schema.index(
  { client: 1, provider: 1 },
  { unique: true, name: 'oneActive', partialFilterExpression: { active: true, deleted: false } },
);
schema.index({ client: 1, _id: 1 }, { name: 'client', partialFilterExpression: { deleted: false } });
schema.index(
  { pollDueAt: 1, provider: 1 },
  { name: 'pollDue', partialFilterExpression: { pollDueAt: { $exists: true } } },
);

addOutbox(schema);

function connectionModel(database: Database) {
  return modelOf(database, 'Connection', schema);
}

/** By the driver: polls are claimed, and changes are pipelines. The model declares the indexes. */
export function connectionRecords(database: Database): mongo.Collection<ConnectionRecord> {
  return collectionOf(connectionModel(database));
}

/** The secrets of all connections, for `npm run ops -- re-encrypt`. */
export function sealedSecrets(database: Database): SealedTexts<ConnectionRecord> {
  return {
    collection: connectionRecords(database),
    filter: {},
    sealedIn: (record) =>
      secretFields.flatMap((field) => {
        const sealed = record[field];
        return sealed === null ? [] : [{ field, sealed, context: sealContext(record._id, field) }];
      }),
  };
}

/** Per company, without deleted ones. Not enforced atomically: concurrent requests may exceed it by a few. */
const maxConnections = 100;
/** How often a person may have a connection polled: providers count calls. */
const minPollRequestMs = 60_000;
const healthy = { status: 'ok', reason: null, since: null } as const;
const serviceName = 'connection';
type Change = { at: Date; events: NewEvent[] };
type InputField = SecretField | 'oauthClientId' | 'oauthTokenUrl' | 'organizationId';
type StoredInput = { [Field in InputField]?: ConnectionRecord[Field] | undefined };

type ConnectionRelay = Pick<Relay, 'watch' | 'committed'>;
/** Changes are saved with their events and need `relay`; reads do not. */
type Deps = { database: Database; secrets: SecretBox; relay?: ConnectionRelay };

/** A company's connections, for the routes. No method returns a secret. */
export class ConnectionStore {
  readonly #database;
  readonly #records;
  readonly #secrets;
  readonly #model;
  readonly #relay;

  constructor({ database, secrets, relay }: Deps) {
    this.#database = database;
    this.#model = connectionModel(database);
    this.#relay = relay;
    relay?.watch(this.#model);
    this.#records = connectionRecords(database);
    this.#secrets = secrets;
  }

  /** Ascending by id: oldest first. */
  async list(client: string): Promise<Connection[]> {
    const found = this.#records.find({ client, deleted: false }).hint('client').sort({ _id: 1 });
    return (await found.limit(2 * maxConnections).toArray()).map(toConnection);
  }

  async find(id: string, client: string): Promise<Connection | null> {
    const found = await this.#records.findOne({ _id: id, client, deleted: false });
    return found && toConnection(found);
  }

  /**
   * @returns the connection as saved, by an earlier attempt at this request or now
   * @throws AppError conflict `connection_active_exists`, `connection_limit`
   */
  async add(
    created: NewConnection & { id: string; client: string } & Change,
    write: ProtectedWrite | null,
  ): Promise<Connection> {
    const { id, client, provider, active, at, events } = created;
    const limit = maxConnections;
    const record: ConnectionRecord = {
      _id: id,
      client,
      provider,
      active,
      deleted: false,
      apiKey: null,
      oauthClientSecret: null,
      webhookSecret: null,
      signingKey: null,
      ...withoutAbsent(this.#fieldsOf(id, created)),
      credentialsVersion: 1,
      lastPolledAt: null,
      createdAt: at,
      updatedAt: at,
      health: healthy,
      pausedUntil: null,
      pollFailures: 0,
      ...(active ? { pollDueAt: at } : {}),
    };
    let outbox: DomainEvent[] = [];
    const added = await writeOnceIn(write, this.#database, async (within) => {
      outbox = toCloudEvents(serviceName, events);
      if ((await this.#records.countDocuments({ client, deleted: false }, { limit })) >= limit) {
        throw new AppError('conflict', 'connection_limit', `a company has at most ${limit} connections`);
      }
      await refuseSecondActive(this.#records.insertOne({ ...record, outbox }, within));
      return toConnection(record);
    });
    this.#relay?.committed(this.#model, added.id, outbox);
    return added;
  }

  /** Null if it was deleted. @throws AppError conflict `connection_active_exists` */
  async change(id: string, client: string, change: ConnectionPatch & Change): Promise<Connection | null> {
    const { at, active, events } = change;
    const outbox = toCloudEvents(serviceName, events);
    const isNewAccess = [change.apiKey, change.oauthClientSecret, change.organizationId].some(
      (one) => one !== undefined,
    );
    const stored = Object.entries(this.#fieldsOf(id, change)).map(([name, value]) => {
      return [name, value === undefined ? '$$REMOVE' : { $literal: value }];
    });
    const fields = {
      ...Object.fromEntries(stored),
      ...(isNewAccess ? resetForNewAccess : {}),
      ...(active === undefined ? {} : { active }),
      updatedAt: at,
      outbox: { $concatArrays: [{ $ifNull: ['$outbox', []] }, { $literal: outbox }] },
    };
    const isPollAffected = active !== undefined || isNewAccess;
    const changed = await refuseSecondActive(
      this.#records.findOneAndUpdate(
        { _id: id, client, deleted: false },
        [{ $set: fields }, ...(isPollAffected ? [restartPolling(at)] : [])],
        { returnDocument: 'after' },
      ),
    );
    if (changed) this.#relay?.committed(this.#model, id, outbox);
    return changed && toConnection(changed);
  }

  /**
   * Makes it due at once. False if a person asked for that within the last minute, if it is being
   * polled, inactive or deleted, or if its company is closed.
   */
  async requestPoll(id: string, client: string, at: Date): Promise<boolean> {
    const before = new Date(at.getTime() - minPollRequestMs);
    // A time in the future comes from a wrong clock.
    const mayAsk = [
      { pollAskedAt: { $exists: false } },
      { pollAskedAt: { $lte: before } },
      { pollAskedAt: { $gt: at } },
    ];
    const { matchedCount } = await this.#records.updateOne(
      {
        _id: id,
        client,
        deleted: false,
        active: true,
        companyClosed: { $ne: true },
        pollLease: { $exists: false },
        $or: mayAsk,
      },
      { $set: { pollDueAt: at, pollAskedAt: at } },
    );
    return matchedCount === 1;
  }

  /**
   * Erases the secrets too, or leaves the credentials to the poller, which ends the subscription with them. False if it was deleted before.
   */
  async remove(id: string, client: string, { at, events }: Change): Promise<boolean> {
    const outbox = toCloudEvents(serviceName, events);
    const whileSubscribed = (field: SecretField) => ({ $cond: [isSubscribed, `$${field}`, null] });
    const fields = {
      deleted: true,
      active: false,
      webhookSecret: null,
      signingKey: null,
      updatedAt: at,
      apiKey: whileSubscribed('apiKey'),
      oauthClientSecret: whileSubscribed('oauthClientSecret'),
      outbox: { $concatArrays: [{ $ifNull: ['$outbox', []] }, { $literal: outbox }] },
    };
    const { matchedCount } = await this.#records.updateOne({ _id: id, client, deleted: false }, [
      { $set: fields },
      restartPolling(at),
    ]);
    if (matchedCount === 1) this.#relay?.committed(this.#model, id, outbox);
    return matchedCount === 1;
  }

  /** What is stored of the input; undefined: the field is absent. */
  #fieldsOf(id: string, input: ConnectionPatch): StoredInput {
    const { apiKey, oauthClientId, oauthClientSecret, oauthTokenUrl, webhookSecret, organizationId } = input;
    const seal = (field: SecretField, secret: string) => this.#secrets.seal(secret, sealContext(id, field));
    return {
      ...(apiKey === undefined
        ? {}
        : {
            apiKey: seal('apiKey', apiKey),
            oauthClientSecret: null,
            oauthClientId: undefined,
            oauthTokenUrl: undefined,
          }),
      ...(oauthClientSecret === undefined
        ? {}
        : {
            apiKey: null,
            oauthClientSecret: seal('oauthClientSecret', oauthClientSecret),
            oauthClientId,
            oauthTokenUrl,
          }),
      ...(webhookSecret === undefined ? {} : { webhookSecret: seal('webhookSecret', webhookSecret) }),
      ...(organizationId === undefined ? {} : { organizationId: organizationId ?? undefined }),
    };
  }
}

function withoutAbsent(fields: StoredInput): Partial<Pick<ConnectionRecord, InputField>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** New credentials are tried at once, whatever happened with the old ones. */
const resetForNewAccess = {
  credentialsVersion: { $add: ['$credentialsVersion', 1] },
  health: healthy,
  pausedUntil: null,
  pollFailures: 0,
};

/**
 * Makes an active connection due at once, and one whose subscription is to be ended; no other one is ever due. A poll in
 * progress loses its lease, and the next one checks the subscription.
 */
function restartPolling(at: Date): object {
  const isDue = { $or: [isPolled, { $and: [{ $not: ['$active'] }, isSubscribed] }] };
  const checked = { subscriptionCheckedAt: '$$REMOVE' };
  return {
    $set: { pollDueAt: { $cond: [isDue, at, '$$REMOVE'] }, pollLease: '$$REMOVE', pollFailures: 0, ...checked },
  };
}

const isPolled = { $and: ['$active', { $ne: ['$companyClosed', true] }] };
const isSubscribed = { $gt: ['$subscriptionId', null] };

async function refuseSecondActive<T>(write: Promise<T>): Promise<T> {
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
  return {
    id,
    client,
    provider,
    active,
    hasCredentials: record.apiKey !== null || record.oauthClientSecret !== null,
    hasWebhookSecret: record.webhookSecret !== null,
    hasSubscription: record.subscriptionId !== undefined,
    oauthClientId: record.oauthClientId ?? null,
    oauthTokenUrl: record.oauthTokenUrl ?? null,
    organizationId: record.organizationId ?? null,
    lastPolledAt,
    health,
    createdAt,
    updatedAt,
  };
}
