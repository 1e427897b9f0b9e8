import type { Within } from '@app/runtime/idempotency';
import { type Connection, Schema } from 'mongoose';
import { hashOf, isWellFormed } from '../random-secret.ts';

/** The secret address of a user's agenda, of which only the hash is stored. */
export type AgendaFeed = { user_id: string; company_id: string; created_at: Date };

export type AgendaFeedStore = ReturnType<typeof createAgendaFeedStore>;

type Stored = AgendaFeed & { hash: string };

const schema = new Schema<Stored>(
  {
    user_id: { type: String, required: true },
    company_id: { type: String, required: true },
    hash: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'agenda_feeds' },
);
schema.index({ user_id: 1 }, { unique: true, name: 'user' });
schema.index({ hash: 1 }, { unique: true, name: 'hash' });

export function createAgendaFeedStore({ connection }: { connection: Connection }) {
  const model = connection.model<Stored>('AgendaFeed', schema);
  return {
    async bySecret(secret: string): Promise<AgendaFeed | null> {
      return isWellFormed(secret) ? model.findOne({ hash: hashOf(secret) }).lean<Stored>() : null;
    },
    of: async (user_id: string): Promise<AgendaFeed | null> => model.findOne({ user_id }).lean<Stored>(),
    /** The former address of the user ends. */
    async put({ user_id, ...rest }: AgendaFeed, secret: string, within: Within = {}): Promise<void> {
      await model.updateOne({ user_id }, { $set: { ...rest, hash: hashOf(secret) } }, { upsert: true, ...within });
    },
    /** False if there is none. */
    async remove(user_id: string, within: Within = {}): Promise<boolean> {
      return (await model.deleteOne({ user_id }, within)).deletedCount === 1;
    },
  };
}
