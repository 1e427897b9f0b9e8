import type { DomainEvent, NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { collectionOf, isDuplicateKey, modelOf, type SealedTexts, type SecretBox } from '@app/runtime';
import { type ProtectedWrite, writeOnceIn } from '@app/runtime/idempotency';
import { type Connection as Database, type mongo, Schema } from 'mongoose';
import { type Connection, type ConnectionPatch, type Health, type NewConnection, sealContext } from './connection.ts';

/** `apiKey` and `webhookSecret` are sealed; both are null once the connection is deleted. */
export type ConnectionRecord = {
  _id: string;
  client: string;
  provider: string;
  active: boolean;
  deleted: boolean;
  apiKey: string | null;
  webhookSecret: string | null;
  credentialsVersion: number;
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
  /** The next poll or, during a poll, the end of its lease. Only active connections of open companies have it. */
  pollDueAt?: Date;
  pollLease?: string;
  pollFailures: number;
  /** When a person last asked for a poll. */
  pollAskedAt?: Date;
} & WithOutbox;

const schema = new Schema<ConnectionRecord>(
  {
    _id: { type: String, required: true },
    client: { type: String, required: true },
    provider: { type: String, required: true },
    active: { type: Boolean, required: true },
    deleted: { type: Boolean, required: true },
    apiKey: { type: String },
    webhookSecret: { type: String },
    credentialsVersion: { type: Number, required: true },
    lastPolledAt: { type: Date },
    seenUntil: { type: Date },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    health: { type: Object, required: true },
    pausedUntil: { type: Date },
    companyClosed: { type: Boolean },
    companyVersion: { type: Number },
    pollDueAt: { type: Date },
    pollLease: { type: String },
    pollFailures: { type: Number, required: true },
    pollAskedAt: { type: Date },
  },
  { versionKey: false, collection: 'connections' },
);
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
    filter: { deleted: false },
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
const secretFields = ['apiKey', 'webhookSecret'] as const;
const serviceName = 'connection';
type Change = { at: Date; events: NewEvent[] };
type SecretField = (typeof secretFields)[number];

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
    const { id, client, provider, active, at, events, ...secret } = created;
    const limit = maxConnections;
    const record: ConnectionRecord = {
      _id: id,
      client,
      provider,
      active,
      deleted: false,
      apiKey: this.#seal(id, 'apiKey', secret.apiKey),
      webhookSecret: this.#seal(id, 'webhookSecret', secret.webhookSecret),
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
    const { at, active, events, ...secret } = change;
    const outbox = toCloudEvents(serviceName, events);
    const sealed = secretFields.flatMap((field) =>
      secret[field] === undefined ? [] : [[field, { $literal: this.#seal(id, field, secret[field]) }]],
    );
    const fields = {
      ...Object.fromEntries(sealed),
      ...(secret.apiKey === undefined ? {} : resetForNewKey),
      ...(active === undefined ? {} : { active }),
      updatedAt: at,
      outbox: { $concatArrays: [{ $ifNull: ['$outbox', []] }, { $literal: outbox }] },
    };
    const isPollAffected = active !== undefined || secret.apiKey !== undefined;
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

  /** Erases the secrets too. False if it was deleted before. */
  async remove(id: string, client: string, { at, events }: Change): Promise<boolean> {
    const outbox = toCloudEvents(serviceName, events);
    const { matchedCount } = await this.#records.updateOne(
      { _id: id, client, deleted: false },
      {
        $set: { deleted: true, active: false, apiKey: null, webhookSecret: null, updatedAt: at },
        $unset: { pollDueAt: 1, pollLease: 1 },
        $push: { outbox: { $each: outbox } },
      },
    );
    if (matchedCount === 1) this.#relay?.committed(this.#model, id, outbox);
    return matchedCount === 1;
  }

  #seal(id: string, field: SecretField, secret: string | undefined): string | null {
    return secret === undefined ? null : this.#secrets.seal(secret, sealContext(id, field));
  }
}

/** A new key is tried at once, whatever happened with the old one. */
const resetForNewKey = {
  credentialsVersion: { $add: ['$credentialsVersion', 1] },
  health: healthy,
  pausedUntil: null,
  pollFailures: 0,
};

/**
 * Makes an active connection due at once; an inactive one, or one of a closed company, is never due. A poll in
 * progress loses its lease.
 */
function restartPolling(at: Date): object {
  return { $set: { pollDueAt: { $cond: [isPolled, at, '$$REMOVE'] }, pollLease: '$$REMOVE' } };
}

const isPolled = { $and: ['$active', { $ne: ['$companyClosed', true] }] };

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
  const has = { hasCredentials: record.apiKey !== null, hasWebhookSecret: record.webhookSecret !== null };
  return { id, client, provider, active, ...has, lastPolledAt, health, createdAt, updatedAt };
}
