import type { Within } from '@app/runtime/idempotency';
import { type Connection, Schema } from 'mongoose';
import { hashOf, isWellFormed } from '../random-secret.ts';

/** The secret address of a user's agenda, of which only the hash is stored. */
export type AgendaFeed = { user_id: string; company_id: string; created_at: Date };

export type AgendaFeedStore = ReturnType<typeof createAgendaFeedStore>;

type AgendaFeedDocument = Omit<AgendaFeed, 'user_id'> & { _id: string; hash: string };

const schema = new Schema<AgendaFeedDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    hash: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'agenda_feeds' },
);
schema.index({ hash: 1 }, { unique: true, name: 'hash' });

export function createAgendaFeedStore({ connection }: { connection: Connection }) {
  const model = connection.model<AgendaFeedDocument>('AgendaFeed', schema);
  const feed = ({ _id, company_id, created_at }: AgendaFeedDocument): AgendaFeed => {
    return { user_id: _id, company_id, created_at };
  };
  return {
    async bySecret(secret: string): Promise<AgendaFeed | null> {
      const found = isWellFormed(secret) ? await model.findOne({ hash: hashOf(secret) }).lean() : null;
      return found && feed(found);
    },
    async of(userId: string): Promise<AgendaFeed | null> {
      const found = await model.findById(userId).lean<AgendaFeedDocument>();
      return found && feed(found);
    },
    /** The former address of the user ends. */
    async put({ user_id, ...rest }: AgendaFeed, secret: string, within: Within = {}): Promise<void> {
      const update = { $set: { ...rest, hash: hashOf(secret) } };
      await model.updateOne({ _id: user_id }, update, { upsert: true, ...within });
    },
    /** False if there is none. */
    async remove(userId: string, within: Within = {}): Promise<boolean> {
      return (await model.deleteOne({ _id: userId }, within)).deletedCount === 1;
    },
  };
}
