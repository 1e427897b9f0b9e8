import { collectionOf } from '@app/runtime';
import { claimBatch, findDueKeys, type Lease } from '@app/work-queue';
import type { Connection } from 'mongoose';
import type { Notification } from '../../notifications/notification.ts';
import type { EmailMode } from '../../notifications/notification-settings.ts';

export type MailMode = Exclude<EmailMode, 'never'>;

/** One e-mail: about one notification, or in a digest about all of a user that are due. */
export type NotificationMail = Pick<Notification, 'company_id' | 'user_id'> & {
  leaseId: string;
  mode: MailMode;
  notifications: Notification[];
};

/** The notifications that wait to be sent by e-mail. */
export type NotificationMailStore = ReturnType<typeof createNotificationMailStore>;

const dayMs = 24 * 3_600_000;

export function createNotificationMailStore({ connection }: { connection: Connection }) {
  // By the driver: claims.
  const records = collectionOf(connection.model<Notification>('Notification'));
  const underLease = ({ notifications, leaseId }: NotificationMail) => {
    return { _id: { $in: notifications.map(({ _id }) => _id) }, 'mail.lease': leaseId };
  };
  const dueAgain = async (mail: NotificationMail, due_at: Date, more: object) => {
    await records.updateMany(underLease(mail), { $set: { 'mail.due_at': due_at, 'mail.lease': null }, ...more });
  };
  return {
    dueKeys: (after: string, limit: number, at: Date): Promise<string[]> =>
      findDueKeys(records, 'company_id', { after, limit, at, dueAt: 'mail.due_at' }),
    async claim(company_id: string, limit: number, { id, from, until }: Lease): Promise<NotificationMail[]> {
      const due = { company_id, 'mail.due_at': { $gt: new Date(0), $lte: from } };
      const update = { $set: { 'mail.due_at': until, 'mail.lease': id } };
      const marked = { 'mail.lease': id };
      const sort = { 'mail.due_at': 1 } as const;
      const claimed = await claimBatch(records, { due, sort, limit, hint: 'mail', update, marked });
      const digests = claimed.filter(({ mail }) => mail?.mode !== 'now');
      if (digests.length === 0) return mailsOf(claimed, id);
      const more = { ...due, $or: digests.map(({ user_id, mail }) => ({ user_id, 'mail.mode': mail?.mode ?? null })) };
      await records.updateMany(more, update, { hint: 'mail' });
      const all = records.find({ company_id, 'mail.due_at': until, ...marked }).sort({ _id: 1 });
      return mailsOf(await all.toArray(), id);
    },
    /** The e-mail was sent, then, or never will be. */
    async end(mail: NotificationMail, sent: { mailed_at?: Date } = {}): Promise<void> {
      await records.updateMany(underLease(mail), { $set: { mail: null, ...sent } });
    },
    /** How many notifications of a company were sent within a day, at most `limit`. */
    async countOf(company_id: string, limit: number, at: Date): Promise<number> {
      // MongoDB takes no limit of 0.
      if (limit === 0) return 0;
      return records.countDocuments({ company_id, mailed_at: { $gt: new Date(at.getTime() - dayMs) } }, { limit });
    },
    retryAt: (mail: NotificationMail, at: Date): Promise<void> => dueAgain(mail, at, { $inc: { 'mail.tries': 1 } }),
    async renew(mail: NotificationMail, until: Date): Promise<void> {
      await records.updateMany(underLease(mail), { $set: { 'mail.due_at': until } });
    },
    release: (mail: NotificationMail, at: Date): Promise<void> => dueAgain(mail, at, {}),
    /** Goes with the next digest instead. */
    async delay(mail: NotificationMail, due_at: Date): Promise<void> {
      await records.updateMany(underLease(mail), { $set: { mail: { mode: 'daily', due_at, lease: null } } });
    },
  };
}

function mailsOf(claimed: Notification[], leaseId: string): NotificationMail[] {
  const modeOf = ({ mail }: Notification) => mail?.mode ?? 'now';
  const keyOf = (one: Notification) => (modeOf(one) === 'now' ? one._id : `${one.user_id} ${modeOf(one)}`);
  return [...Map.groupBy(claimed, keyOf).values()].map((notifications) => {
    const [first] = notifications as [Notification];
    const { company_id, user_id } = first;
    return { leaseId, company_id, user_id, mode: modeOf(first), notifications };
  });
}
