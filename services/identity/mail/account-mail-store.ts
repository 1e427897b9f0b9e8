import type { Within } from '@app/idempotency';
import type { Lease } from '@app/work-queue';
import { type Connection, Schema } from 'mongoose';
import { type AccountMail, mailLifetimeMs } from './account-mail.ts';

export type ClaimedMail = AccountMail & { leaseId: string };

/** E-mails that wait to be sent, until a server has taken them. */
export type AccountMailStore = {
  add(mail: AccountMail, within?: Within): Promise<void>;
  isDue(at: Date): Promise<boolean>;
  /** Claims due e-mails under the lease, the longest overdue first. */
  claim(limit: number, lease: Lease): Promise<ClaimedMail[]>;
  /** Removes all that wait for a user, also those that are just being sent. */
  removeOf(user: { id: string; email: string }, within: Within): Promise<void>;
  /** Removes an e-mail that was sent, or that never will be. */
  remove(mail: ClaimedMail): Promise<void>;
  /** Schedules the next try, and counts this one. */
  retryAt(mail: ClaimedMail, at: Date): Promise<void>;
  /** Keeps an e-mail that may not be sent yet, as if it were asked for at `at`. It is looked at again at `dueAt`. */
  postpone(mail: ClaimedMail, at: Date, dueAt: Date): Promise<void>;
  /** Gives e-mails back that nobody worked on: they are due at once. */
  release(mails: ClaimedMail[], at: Date): Promise<void>;
};

type MailDocument = Omit<AccountMail, 'id'> & { _id: string; due_at: Date; lease_id: string | null; expires_at: Date };

const mailSchema = new Schema<MailDocument>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true },
    email: { type: String, required: true },
    user_id: { type: String, default: null },
    locale: { type: String, default: null },
    created_at: { type: Date, required: true },
    tries: { type: Number, required: true },
    due_at: { type: Date, required: true },
    lease_id: { type: String, default: null },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'mails' },
);
mailSchema.index({ due_at: 1 }, { name: 'due' });
mailSchema.index({ email: 1 }, { name: 'email' });
// E-mails wait while e-mail is off, but no longer than this: addresses are personal data.
mailSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function createAccountMailStore({ connection }: { connection: Connection }): AccountMailStore {
  const model = connection.model<MailDocument>('AccountMail', mailSchema);
  return {
    async add({ id, ...mail }, within = {}) {
      const document = { _id: id, ...mail, due_at: mail.created_at, lease_id: null, expires_at: expiryOf(mail) };
      await model.create([document], within);
    },
    isDue: async (at) => (await model.exists({ due_at: { $lte: at } }).hint('due')) !== null,
    async claim(limit, { id, from, until }) {
      const claimed: ClaimedMail[] = [];
      while (claimed.length < limit) {
        const found = await model
          .findOneAndUpdate({ due_at: { $lte: from } }, { $set: { due_at: until, lease_id: id } }, { hint: 'due' })
          .sort({ due_at: 1 })
          .lean<MailDocument>();
        if (!found) return claimed;
        const { _id, kind, email, user_id, locale, created_at, tries } = found;
        claimed.push({ id: _id, kind, email, user_id, locale, created_at, tries, leaseId: id });
      }
      return claimed;
    },
    async removeOf({ id, email }, within) {
      await model.deleteMany({ email, user_id: { $in: [id, null] } }, within);
    },
    async remove(mail) {
      await model.deleteOne(underLease(mail));
    },
    async retryAt(mail, at) {
      await model.updateOne(underLease(mail), { $set: { due_at: at, lease_id: null }, $inc: { tries: 1 } });
    },
    async postpone(mail, at, dueAt) {
      const expires_at = expiryOf({ kind: mail.kind, created_at: at });
      await model.updateOne(underLease(mail), { $set: { created_at: at, expires_at, due_at: dueAt, lease_id: null } });
    },
    async release(mails, at) {
      for (const mail of mails) await model.updateOne(underLease(mail), { $set: { due_at: at, lease_id: null } });
    },
  };
}

function expiryOf({ kind, created_at }: Pick<AccountMail, 'kind' | 'created_at'>): Date {
  return new Date(created_at.getTime() + mailLifetimeMs[kind]);
}

/** The filter for an e-mail that still has this lease. */
function underLease({ id, leaseId }: ClaimedMail) {
  return { _id: id, lease_id: leaseId };
}
