import { documentSchema } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';
import type { CreatedLink, PasswordLink } from './password-link.ts';

export type PasswordLinkStore = ReturnType<typeof createPasswordLinkStore>;

type LinkDocument = Omit<PasswordLink, 'user_id'> & { _id: string };

const linkSchema = documentSchema<LinkDocument>('password_links');
linkSchema.index({ hash: 1 }, { unique: true, name: 'hash' });
linkSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function createPasswordLinkStore({ connection }: { connection: Connection }) {
  const model = connection.model<LinkDocument>('PasswordLink', linkSchema);
  return {
    /** Stores a link; it replaces the user's earlier one. */
    async put(created: CreatedLink, within: Within): Promise<CreatedLink> {
      const { user_id, ...link } = created.link;
      await model.updateOne({ _id: user_id }, { $set: link }, { ...within, upsert: true });
      return created;
    },
    /** Null if it was used, replaced, or has expired. */
    async find(hash: string, at: Date): Promise<PasswordLink | null> {
      const found = await model.findOne({ hash, expires_at: { $gt: at } }).lean<LinkDocument>();
      if (!found) return null;
      const { _id: user_id, ...link } = found;
      return { user_id, ...link };
    },
    /** False if it was used or replaced meanwhile. */
    async use(hash: string, within: Within): Promise<boolean> {
      const { deletedCount } = await model.deleteOne({ hash }, within);
      return deletedCount === 1;
    },
    async removeOf(userId: string, within: Within = {}): Promise<void> {
      await model.deleteOne({ _id: userId }, within);
    },
  };
}
