import { type Connection as Database, type mongo, Schema } from 'mongoose';
import type { Health } from './connection.ts';

/** `apiKey` and `webhookSecret` are sealed; a deleted connection has none any more. */
export type ConnectionRecord = {
  _id: string;
  client: string;
  provider: string;
  active: boolean;
  deleted: boolean;
  apiKey: string | null;
  webhookSecret: string | null;
  credentialsVersion: number;
  /** When the last poll that came to its end began. */
  lastPolledAt: Date | null;
  /** The last change that its provider told of, by the provider's clock: the next poll begins there. */
  seenUntil?: Date;
  createdAt: Date;
  updatedAt: Date;
  health: Health;
  /** Until then its provider is not called. */
  heldUntil: Date | null;
  /** When it is to be polled next or, while somebody polls, when the poll's lease ends. Active ones alone have it. */
  pollDueAt?: Date;
  pollLease?: string;
  pollFailures: number;
};
export type ConnectionRecords = mongo.Collection<ConnectionRecord>;

const schema = new Schema<ConnectionRecord>(
  {
    _id: { type: String, required: true },
    client: { type: String, required: true },
    provider: { type: String, required: true },
    active: { type: Boolean, required: true },
    deleted: { type: Boolean, required: true },
    pollDueAt: { type: Date },
  },
  { versionKey: false, collection: 'connections', strict: false },
);
// The rule of spec section 8, kept by the database: of two that come at once, one is refused.
schema.index(
  { client: 1, provider: 1 },
  { unique: true, name: 'oneActive', partialFilterExpression: { active: true, deleted: false } },
);
schema.index({ client: 1, _id: 1 }, { name: 'client', partialFilterExpression: { deleted: false } });
schema.index({ pollDueAt: 1 }, { name: 'pollDue', partialFilterExpression: { pollDueAt: { $exists: true } } });

/** The collection, with its model registered so that its indexes are made at the start. */
export function connectionRecords(database: Database): ConnectionRecords {
  const { collection } = database.models['Connection'] ?? database.model('Connection', schema);
  return database.collection<ConnectionRecord>(collection.collectionName) as unknown as ConnectionRecords;
}
