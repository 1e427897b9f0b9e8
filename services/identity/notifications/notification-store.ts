import { notificationKinds } from '@app/contracts';
import type { Page } from '@app/kernel';
import type { Within } from '@app/runtime/idempotency';
import { type Connection, Schema } from 'mongoose';
import type { User } from '../users/user.ts';
import type { Notification } from './notification.ts';
import { emailModes, type Settings } from './notification-settings.ts';

/** Whose they are: no query reads those of anybody else. */
export type Owner = Pick<Notification, 'company_id' | 'user_id'>;

/** What a user chose, and when they last read. A change of it tells the streams of the user to count again. */
type UserRecord = { _id: string; company_id: string; kinds: Settings; read_at?: Date };

export type NotificationStore = ReturnType<typeof createNotificationStore>;

/** Nobody reads further than this. */
const maxUnread = 1_000;
const keptS = 90 * 24 * 3_600;
export const notificationCollections = { notifications: 'notifications', users: 'notification_users' } as const;

const mixed = { type: Schema.Types.Mixed };
const schema = new Schema<Notification>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    user_id: { type: String, required: true },
    kind: { type: String, enum: notificationKinds, required: true },
    key: { type: String, required: true },
    ticket: mixed,
    invoice: mixed,
    endpoint: mixed,
    actor_id: { type: String },
    text: { type: String },
    visibility: { type: String },
    created_at: { type: Date, required: true },
    read_at: { type: Date, default: null },
    console: { type: Boolean, required: true },
    mailed_at: Date,
    mail: {
      type: new Schema(
        { mode: { type: String, enum: emailModes }, due_at: Date, lease: String, tries: Number },
        { _id: false },
      ),
    },
  },
  { versionKey: false, collection: notificationCollections.notifications },
);
schema.index({ company_id: 1, key: 1, user_id: 1 }, { unique: true, name: 'once' });
schema.index({ user_id: 1, company_id: 1, console: 1, _id: -1 }, { name: 'list' });
schema.index({ user_id: 1, company_id: 1, console: 1, read_at: 1, _id: -1 }, { name: 'unread' });
schema.index({ company_id: 1, 'mail.due_at': 1 }, { name: 'mail' });
schema.index({ company_id: 1, mailed_at: 1 }, { name: 'mailed' });
schema.index({ created_at: 1 }, { expireAfterSeconds: keptS, name: 'kept90Days' });

const userSchema = new Schema<UserRecord>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    kinds: { ...mixed, default: {} },
    read_at: { type: Date },
  },
  { versionKey: false, minimize: false, collection: notificationCollections.users },
);

export function createNotificationStore({ connection }: { connection: Connection }) {
  const model = connection.model<Notification>('Notification', schema);
  const users = connection.model<UserRecord>('NotificationUser', userSchema);
  const listed = (owner: Owner) => ({ ...owner, console: true });
  const unreadOf = (owner: Owner) => ({ ...listed(owner), read_at: null });
  return {
    /** Adds those that are not there yet, by company, key and user. */
    async add(notifications: readonly Notification[]): Promise<void> {
      if (notifications.length === 0) return;
      const writes = notifications.map(({ company_id, key, user_id, ...rest }) => {
        return { updateOne: { filter: { company_id, key, user_id }, update: { $setOnInsert: rest }, upsert: true } };
      });
      await model.bulkWrite(writes, { ordered: false });
    },
    /** Newest first. */
    list(owner: Owner, { limit, cursor, unread = false }: Page & { unread?: boolean }): Promise<Notification[]> {
      const before = cursor === undefined ? {} : { _id: { $lt: cursor } };
      const found = model.find({ ...(unread ? unreadOf(owner) : listed(owner)), ...before });
      return found
        .sort({ _id: -1 })
        .hint(unread ? 'unread' : 'list')
        .limit(limit)
        .lean<Notification[]>()
        .exec();
    },
    /** How many are unread, at most 1,000. */
    countUnread: (owner: Owner): Promise<number> =>
      model.countDocuments(unreadOf(owner), { limit: maxUnread, hint: 'unread' }).exec(),
    /** Marks some as read, or all (`ids` null). */
    async markRead(owner: Owner, ids: readonly string[] | null, at: Date): Promise<void> {
      const among = ids === null ? {} : { _id: { $in: ids } };
      await model.updateMany({ ...unreadOf(owner), ...among }, { $set: { read_at: at } });
      await users.updateOne(userOf(owner), { $set: { read_at: at } }, { upsert: true });
    },
    /** What these users of a company chose, by their ids. */
    async chosen(company_id: string, userIds: readonly string[]): Promise<Map<string, Settings>> {
      const found = await users.find({ _id: { $in: userIds }, company_id }).lean<UserRecord[]>();
      return new Map(found.map(({ _id, kinds }) => [_id, kinds]));
    },
    async choose(owner: Owner, kinds: Settings): Promise<void> {
      const chosen = Object.fromEntries(Object.entries(kinds).map(([kind, setting]) => [`kinds.${kind}`, setting]));
      await users.updateOne(userOf(owner), { $set: chosen }, { upsert: true });
    },
    /** Removes all of a user. */
    async removeOf({ id, company_id }: Pick<User, 'id' | 'company_id'>, within: Within): Promise<void> {
      await model.deleteMany({ user_id: id, company_id }, within);
      await users.deleteOne({ _id: id }, within);
    },
  };
}

function userOf({ user_id, company_id }: Owner) {
  return { _id: user_id, company_id };
}
