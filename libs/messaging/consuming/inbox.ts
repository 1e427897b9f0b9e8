import { collectionOf, isDuplicateKey } from '@app/runtime';
import { type ClientSession, type Connection, Schema } from 'mongoose';

export type Inbox = {
  /** Runs `work` in a transaction that also records `key`. Does nothing if the key is recorded already. */
  once(key: string, work: (session: ClientSession) => Promise<void>): Promise<void>;
};

type InboxRecord = { _id: string; at: Date };

const retentionSeconds = 30 * 24 * 3600;

const inboxSchema = new Schema<InboxRecord>(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { versionKey: false, collection: 'inbox' },
);
inboxSchema.index({ at: 1 }, { expireAfterSeconds: retentionSeconds });

/** Records which events this service has handled, for 30 days. */
export function createInbox(connection: Connection): Inbox {
  const inbox = collectionOf(connection.model<InboxRecord>('Inbox', inboxSchema));
  return {
    async once(key, work) {
      try {
        await connection.transaction(async (session) => {
          await inbox.insertOne({ _id: key, at: new Date() }, { session });
          await work(session);
        });
      } catch (error) {
        if (!isDuplicateKey(error, '_id_')) throw error;
        // The duplicate may be in another collection. Only a key that is here was handled before.
        if (!(await inbox.findOne({ _id: key }))) throw error;
      }
    },
  };
}
