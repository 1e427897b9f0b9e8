import type { NewEvent } from '@app/contracts';
import { type Within, writeOnceIn } from '@app/idempotency';
import { AppError } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import { isDuplicateKey } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import type { Page } from '../paging.ts';
import type { User } from './user.ts';

type UserDocument = Omit<User, 'id' | 'created_at'> & {
  _id: string;
  password_hash: string;
  created_at: Date;
} & WithOutbox;

type NewlyCreated = { user: User; passwordHash: string; events: NewEvent[] };

export type UserStore = {
  /**
   * Saves the user and its events in one write.
   * @returns the user as saved, by an earlier attempt at this request or now
   * @throws AppError conflict `email_taken`
   */
  add(created: NewlyCreated): Promise<User>;
  find(id: string): Promise<User | null>;
  /** Those of the ids that are users of the company. */
  findOf(companyId: string, ids: string[]): Promise<User[]>;
  /** `email` in lower case. */
  findForLogin(email: string): Promise<{ user: User; passwordHash: string } | null>;
  /** The hash of a user who is known already. */
  passwordHash(id: string): Promise<string | null>;
  /** False if the hash is not `from` any more. */
  replacePasswordHash(change: { id: string; from: string; to: string }, within: Within): Promise<boolean>;
  /** Those after the cursor, ascending by id, at most `limit`. */
  list(page: Page): Promise<User[]>;
};

const userSchema = new Schema<UserDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    email: { type: String, required: true },
    first_name: { type: String, required: true },
    last_name: { type: String, required: true },
    phone: { type: String, default: null },
    permissions: { type: [String], required: true },
    password_hash: { type: String, required: true, select: false },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'users' },
);
userSchema.index({ email: 1 }, { unique: true, name: 'email' });
addOutbox(userSchema);

export function createUserStore({ connection, relay }: { connection: Connection; relay: Relay }): UserStore {
  const model = connection.model<UserDocument>('User', userSchema);
  relay.watch(model);
  return {
    async add(created) {
      const add = writeOnceIn(connection, async (within) => {
        const outbox = toCloudEvents('identity', created.events);
        const { id, ...fields } = created.user;
        await model.create([{ _id: id, ...fields, password_hash: created.passwordHash, outbox }], within);
        return { user: created.user, outbox };
      });
      const { user, outbox } = await add.catch(refuseTakenEmail);
      relay.committed(model, user.id, outbox);
      return user;
    },
    async find(id) {
      const found = await model.findById(id).lean<UserDocument>();
      return found && user(found);
    },
    async findOf(companyId, ids) {
      const found = await model
        .find({ _id: { $in: ids }, company_id: companyId })
        .sort({ _id: 1 })
        .lean<UserDocument[]>();
      return found.map(user);
    },
    async findForLogin(email) {
      const found = await model.findOne({ email }).select('+password_hash').lean<UserDocument>();
      return found && { user: user(found), passwordHash: found.password_hash };
    },
    async passwordHash(id) {
      const found = await model.findById(id).select('password_hash').lean<Pick<UserDocument, 'password_hash'>>();
      return found?.password_hash ?? null;
    },
    async replacePasswordHash({ id, from, to }, within) {
      const { matchedCount } = await model.updateOne(
        { _id: id, password_hash: from },
        { $set: { password_hash: to } },
        within,
      );
      return matchedCount === 1;
    },
    async list({ limit, cursor }) {
      const found = model.find(cursor === undefined ? {} : { _id: { $gt: cursor } }).sort({ _id: 1 });
      return (await found.limit(limit).lean<UserDocument[]>()).map(user);
    },
  };
}

function refuseTakenEmail(error: unknown): never {
  if (isDuplicateKey(error, 'email')) throw new AppError('conflict', 'email_taken', 'a user has this e-mail address');
  throw error;
}

function user({ _id, created_at, company_id, email, first_name, last_name, phone, permissions }: UserDocument): User {
  const snapshot = { id: _id, company_id, email, first_name, last_name, phone, permissions };
  return { ...snapshot, created_at: created_at.toISOString() };
}
