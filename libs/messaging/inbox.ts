import { findOneRaw, isDuplicateKey, majorityRead } from '@app/runtime';
import { type ClientSession, type Connection, Schema } from 'mongoose';

export type Inbox = {
  /** Runs `work` in a transaction that also records `key`; a key recorded before changes nothing. */
  once(key: string, work: (session: ClientSession) => Promise<void>): Promise<void>;
};

const keptSeconds = 30 * 24 * 3600;

const inboxSchema = new Schema<{ _id: string; at: Date }>(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { versionKey: false, collection: 'inbox' },
);
inboxSchema.index({ at: 1 }, { expireAfterSeconds: keptSeconds });

/** The events that this service has handled, kept for 30 days (design section 2). */
export function createInbox(connection: Connection): Inbox {
  const model = connection.model('Inbox', inboxSchema);
  return {
    async once(key, work) {
      try {
        await connection.transaction(async (session) => {
          await model.collection.insertOne({ _id: key, at: new Date() } as never, { session });
          await work(session);
        });
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
        // Another collection's `_id` may have clashed: only a key that is really there, and stays, means "handled before".
        if (!(await findOneRaw(model.collection, { filter: { _id: key }, ...majorityRead }))) throw error;
      }
    },
  };
}
