import type { Caller, notificationReadersChanged } from '@app/contracts';
import type { Page } from '@app/kernel';
import { collectionOf, documentSchema, replaceUnlessNewer } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { type Connection, type Model, Schema } from 'mongoose';
import type { User } from '../users/user.ts';
import type { Notification } from './notification.ts';
import type { Settings } from './notification-settings.ts';
import { readableBy } from './recipients.ts';

/** Whose they are: no query reads those of anybody else. */
export type Owner = Pick<Notification, 'company_id' | 'user_id'>;

/** What a user chose, and when they last read. A change of it tells the streams of the user to count again. */
type UserRecord = { _id: string; company_id: string; kinds: Settings; read_at?: Date };

export type NotificationStore = ReturnType<typeof createNotificationStore>;

type Readers = Parameters<typeof notificationReadersChanged>[0];

/** Who may read what was told of a ticket (`_id`), for what is told late. `version`: since when, in ms. */
type TicketReaders = Readers & { _id: string; version: number; changed_at: Date };

/** Nobody reads further than this. */
const maxUnread = 1_000;
const keptS = 90 * 24 * 3_600;
export const notificationCollections = { notifications: 'notifications', users: 'notification_users' } as const;

const schema = documentSchema<Notification>(notificationCollections.notifications);
schema.index({ company_id: 1, key: 1, user_id: 1 }, { unique: true, name: 'once' });
schema.index({ user_id: 1, company_id: 1, console: 1, _id: -1 }, { name: 'list' });
schema.index({ user_id: 1, company_id: 1, console: 1, read_at: 1, _id: -1 }, { name: 'unread' });
schema.index({ company_id: 1, _id: 1 }, { name: 'company' });
schema.index({ company_id: 1, 'mail.due_at': 1 }, { name: 'mail' });
schema.index({ company_id: 1, mailed_at: 1 }, { name: 'mailed' });
schema.index({ created_at: 1 }, { expireAfterSeconds: keptS, name: 'kept90Days' });

const userSchema = new Schema<UserRecord>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    kinds: { type: Schema.Types.Mixed, default: {} },
    read_at: { type: Date },
  },
  { versionKey: false, minimize: false, collection: notificationCollections.users },
);

const readersSchema = documentSchema<TicketReaders>('notification_readers');
readersSchema.index({ changed_at: 1 }, { expireAfterSeconds: keptS, name: 'kept90Days' });

export function createNotificationStore({ connection }: { connection: Connection }) {
  const model = connection.model<Notification>('Notification', schema);
  const users = connection.model<UserRecord>('NotificationUser', userSchema);
  const readersOf = connection.model<TicketReaders>('NotificationReaders', readersSchema);
  const listed = (reader: Caller) => ({ ...readableBy(reader), console: true });
  const unreadOf = (reader: Caller) => ({ ...listed(reader), read_at: null });

  return {
    /** Adds those that are not there yet, by company, key and user. */
    async add(notifications: readonly Notification[]): Promise<void> {
      if (notifications.length === 0) return;
      const writes = notifications.map(({ company_id, key, user_id, ...rest }) => {
        return { updateOne: { filter: { company_id, key, user_id }, update: { $setOnInsert: rest }, upsert: true } };
      });
      await model.bulkWrite(writes, { ordered: false });
      // The ticket may have had others since: the events come in any order.
      const tickets = new Set(
        notifications.flatMap(({ ticket, company_id }) => (ticket ? `${company_id}:${ticket.id}` : [])),
      );
      for (const readers of await readersOf.find({ _id: { $in: [...tickets] } }).lean<TicketReaders[]>())
        await apply(model, readers);
    },
    /** Newest first. */
    list(reader: Caller, { limit, cursor, unread = false }: Page & { unread?: boolean }): Promise<Notification[]> {
      const before = cursor === undefined ? {} : { _id: { $lt: cursor } };
      const found = model.find({ ...(unread ? unreadOf(reader) : listed(reader)), ...before }).sort({ _id: -1 });
      return found
        .hint(unread ? 'unread' : 'list')
        .limit(limit)
        .lean<Notification[]>()
        .exec();
    },
    /** A page of all of a company, ascending by id. */
    pageOf(company_id: string, { limit, cursor = '' }: Page): Promise<Notification[]> {
      const found = model.find({ company_id, _id: { $gt: cursor } }).sort({ _id: 1 });
      return found.hint('company').limit(limit).lean<Notification[]>().exec();
    },
    /** How many are unread, at most 1,000. */
    countUnread: (reader: Caller): Promise<number> =>
      model.countDocuments(unreadOf(reader), { limit: maxUnread, hint: 'unread' }).exec(),
    /** Marks some as read, or all (`ids` null). */
    async markRead(reader: Caller, ids: readonly string[] | null, at: Date): Promise<void> {
      const among = ids === null ? {} : { _id: { $in: ids } };
      await model.updateMany({ ...unreadOf(reader), ...among }, { $set: { read_at: at } });
      const user = userOf({ user_id: reader.userId, company_id: reader.companyId });
      await users.updateOne(user, { $set: { read_at: at } }, { upsert: true });
    },
    /** Those of a user's notifications that they may read now. */
    async readable(reader: Caller, ids: readonly string[]): Promise<Set<string>> {
      const found = model.find({ _id: { $in: ids }, ...readableBy(reader) }, { _id: 1 });
      return new Set((await found.lean()).map(({ _id }) => _id));
    },
    /** The ticket has had these managers and places, with all above them, since `at`. */
    async readersChanged(readers: Readers, at: Date): Promise<void> {
      const _id = `${readers.company_id}:${readers.ticket_id}`;
      const kept = { ...readers, version: at.getTime(), changed_at: at };
      await replaceUnlessNewer(readersOf, _id, kept);
      await apply(model, { _id, ...kept });
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

async function apply(model: Model<Notification>, readers: TicketReaders): Promise<void> {
  const { company_id, ticket_id, manager_ids, place_ids, changed_at: at } = readers;
  const key = { $gte: `ticket:${ticket_id}:`, $lt: `ticket:${ticket_id};` };
  const update = [{ $set: { place_ids, manages: { $in: ['$user_id', manager_ids] }, readers_at: at } }];
  // By the driver: a pipeline.
  await collectionOf(model).updateMany({ company_id, key, readers_at: { $lt: at } }, update, { hint: 'once' });
}

function userOf({ user_id, company_id }: Owner) {
  return { _id: user_id, company_id };
}
