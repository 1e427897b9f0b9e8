import { collectionOf, documentSchema } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { claimBatch, findDueKeys, type Lease } from '@app/work-queue';
import type { Connection } from 'mongoose';
import { domainOf } from '../sso/sso-settings.ts';
import type { User } from '../users/user.ts';
import { type AccountMail, mailLifetimeMs } from './account-mail.ts';

export type ClaimedMail = AccountMail & { leaseId: string };

/** E-mails that wait to be sent, until a server has taken them. */
export type AccountMailStore = ReturnType<typeof createAccountMailStore>;

type MailDocument = Omit<AccountMail, 'id'> & {
  _id: string;
  domain: string;
  dueAt: Date;
  lease: string | null;
  /** How many were made for it. */
  links: number;
  expires_at: Date;
};

const mailSchema = documentSchema<MailDocument>('mails');
mailSchema.index({ domain: 1, dueAt: 1 }, { name: 'due' });
mailSchema.index({ email: 1 }, { name: 'email' });
// E-mails wait while e-mail is off, but no longer than this: addresses are personal data.
mailSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function createAccountMailStore({ connection }: { connection: Connection }) {
  const model = connection.model<MailDocument>('AccountMail', mailSchema);
  // By the driver: claims.
  const records = collectionOf(model);
  return {
    /** Nothing is added under an id that is there. */
    async add({ id: _id, ...mail }: AccountMail, within: Within = {}): Promise<void> {
      const due = { domain: domainOf(mail.email), dueAt: mail.created_at, lease: null };
      const $setOnInsert = { ...mail, ...due, links: 0, expires_at: expiryOf(mail) };
      await model.updateOne({ _id }, { $setOnInsert }, { upsert: true, ...within });
    },
    /** Up to `limit` domains of addresses with due e-mails, in order, after `after`. */
    dueDomains: (after: string, limit: number, at: Date): Promise<string[]> =>
      findDueKeys(records, 'domain', { after, limit, at }),
    /** Claims due e-mails to a domain under the lease, the longest overdue first. */
    async claim(domain: string, limit: number, { id: leaseId, from, until }: Lease): Promise<ClaimedMail[]> {
      const claimed = await claimBatch(records, {
        due: { domain, dueAt: { $lte: from } },
        sort: { dueAt: 1 },
        limit,
        hint: 'due',
        update: { $set: { dueAt: until, lease: leaseId } },
        marked: { lease: leaseId },
      });
      return claimed.map(({ _id: id, kind, email, user_id, locale, created_at, tries, refusal }) => {
        return { id, kind, email, user_id, locale, created_at, tries, leaseId, ...(refusal ? { refusal } : {}) };
      });
    },
    /**
     * Removes all that wait for a user, also those that are just being sent. Of somebody invited only the invitation: others may be
     * invited at the address.
     */
    async removeOf({ id, email, invited }: Pick<User, 'id' | 'email' | 'invited'>, within: Within): Promise<void> {
      await model.deleteMany({ email, user_id: { $in: invited ? [id] : [id, null] } }, within);
    },
    /** Notes that a link is made for an e-mail; false if it was removed. A removal at the same time is tried again. */
    async noteLink(mail: ClaimedMail, within: Within): Promise<boolean> {
      return (await model.updateOne(underLease(mail), { $inc: { links: 1 } }, within)).matchedCount === 1;
    },
    /** Removes an e-mail that was sent, or that never will be. A refusal stays until it expires, so that there is one a day. */
    async remove(mail: ClaimedMail): Promise<void> {
      if (mail.kind === 'refusal') await model.updateOne(underLease(mail), { $unset: { dueAt: 1, lease: 1 } });
      else await model.deleteOne(underLease(mail));
    },
    /** Schedules the next try, and counts this one. */
    async retryAt(mail: ClaimedMail, at: Date): Promise<void> {
      await model.updateOne(underLease(mail), { $set: { dueAt: at, lease: null }, $inc: { tries: 1 } });
    },
    /** Keeps an e-mail that may not be sent yet, as if it were asked for at `at`. It is looked at again at `dueAt`. */
    async postpone(mail: ClaimedMail, at: Date, dueAt: Date): Promise<void> {
      const expires_at = expiryOf({ kind: mail.kind, created_at: at });
      await model.updateOne(underLease(mail), { $set: { created_at: at, expires_at, dueAt, lease: null } });
    },
    async renew(mail: ClaimedMail, until: Date): Promise<void> {
      await model.updateOne(underLease(mail), { $set: { dueAt: until } });
    },
    /** Gives an e-mail back that nobody worked on: it is due at once. */
    async release(mail: ClaimedMail, at: Date): Promise<void> {
      await model.updateOne(underLease(mail), { $set: { dueAt: at, lease: null } });
    },
  };
}

function expiryOf({ kind, created_at }: Pick<AccountMail, 'kind' | 'created_at'>): Date {
  return new Date(created_at.getTime() + mailLifetimeMs[kind]);
}

/** The filter for an e-mail that still has this lease. */
function underLease({ id, leaseId }: ClaimedMail) {
  return { _id: id, lease: leaseId };
}
