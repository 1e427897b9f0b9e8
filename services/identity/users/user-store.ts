import type { NewEvent } from '@app/contracts';
import { AppError, indexFields, type Page } from '@app/kernel';
import { addOutbox, type Relay, toCloudEvents, type WithOutbox } from '@app/messaging';
import {
  collectionOf,
  createCompanyList,
  createListReader,
  findByWords,
  isDuplicateKey,
  type WithWords,
} from '@app/runtime';
import { type ProtectedWrite, transactionOnce, type Within } from '@app/runtime/idempotency';
import { type Connection, type Model, Schema } from 'mongoose';
import { type Invitation, type Subject, type User, wordsOfUser } from './user.ts';
import { userList } from './user-list.ts';

export type UserDocument = Omit<User, 'id' | 'created_at' | 'mail_bounced_at'> & {
  _id: string;
  mail_bounced_at?: Date;
  /** Null until the user has set one. */
  password_hash: string | null;
  created_at: Date;
} & WithWords &
  WithOutbox;

export type NewlyCreated = { user: User; passwordHash: string | null; events: NewEvent[] };
/** `write`: of the request. `alongside` writes in the same transaction. */
export type AddOptions<T> = { write: ProtectedWrite | null; alongside: (within: Within) => Promise<T> };
type Session = NonNullable<Within['session']>;

export type UserStore = ReturnType<typeof createUserStore>;

const userSchema = new Schema<UserDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    email: { type: String, required: true },
    first_name: { type: String, required: true },
    last_name: { type: String, required: true },
    phone: { type: String, default: null },
    permissions: { type: [String], required: true },
    place_ids: { type: [String], default: [] },
    active: { type: Boolean, required: true },
    version: { type: Number, required: true },
    invited: { type: Boolean, required: true },
    invitation: { type: Schema.Types.Mixed },
    erasure: { type: Schema.Types.Mixed },
    subject: { type: Schema.Types.Mixed },
    password_hash: { type: String, default: null, select: false },
    created_at: { type: Date, required: true },
    mail_bounced_at: Date,
    words: { type: [String], default: undefined },
  },
  { versionKey: false, collection: 'users' },
);
// Whoever has not accepted an invitation holds no address: else a company could take those of others, or learn whose are
// taken.
userSchema.index({ email: 1 }, { unique: true, name: 'acceptedEmail', partialFilterExpression: { invited: false } });
userSchema.index({ email: 1, invited: 1, _id: -1 }, { name: 'login' });
userSchema.index({ company_id: 1, email: 1 }, { unique: true, name: 'companyEmail' });
userSchema.index({ company_id: 1, 'subject.sub': 1 }, { name: 'subject' });
for (const { name, fields } of indexFields(userList)) userSchema.index(fields, { name });
userSchema.index({ words: 1 }, { name: 'words' });
userSchema.index({ company_id: 1, words: 1 }, { name: 'companyWords' });
addOutbox(userSchema);
const unread = { password_hash: 0, subject: 0, words: 0, outbox: 0 };

export function createUserStore({ connection, relay }: { connection: Connection; relay: Relay }) {
  const model = connection.model<UserDocument>('User', userSchema);
  relay.watch(model);
  return {
    /**
     * Saves the user and its events in one write, with all that `alongside` writes.
     * @returns the user as saved, and what `alongside` returned, by an earlier attempt at this request or now
     * @throws AppError conflict `email_taken`: by another user of the company, or by somebody who has set a password or signed in
     */
    async add<T>(created: NewlyCreated, { write, alongside }: AddOptions<T>): Promise<{ user: User; more: T }> {
      const outbox = toCloudEvents('identity', created.events);
      const { id, ...fields } = created.user;
      const add = transactionOnce(write, connection, async (session) => {
        const document = { _id: id, ...fields, password_hash: created.passwordHash, words: wordsOfUser(fields) };
        await model.create([{ ...document, outbox }], { session });
        return { user: created.user, outbox, more: await alongside({ session }) };
      });
      const { user, more, ...saved } = await add.catch(refuseTakenEmail);
      relay.committed(model, user.id, saved.outbox);
      return { user, more };
    },
    /**
     * Saves what `rule` makes of the user, with its events and with all that the rule writes in the
     * same transaction. The rule may run more than once; null from it: nothing is saved.
     * @returns the user as it is then; null if there is none
     */
    async change(
      id: string,
      rule: (user: User, session: Session) => Promise<{ user: User; events: NewEvent[] } | null>,
    ): Promise<User | null> {
      const saved = await connection.transaction(async (session) => {
        const found = await model.findById(id).session(session).lean<UserDocument>();
        if (!found) return null;
        const changed = await rule(toUser(found), session);
        if (!changed) return { user: toUser(found), outbox: [] };
        const outbox = toCloudEvents('identity', changed.events);
        const { first_name, last_name, phone, permissions, active, version } = changed.user;
        const { email, erasure, subject = null, place_ids = [] } = changed.user;
        const erased = erasure ? { email, erasure, password_hash: null, invited: false } : {};
        const words = wordsOfUser(changed.user);
        const named = { first_name, last_name, phone, permissions, place_ids };
        const fields = { ...named, active, version, words, subject, ...erased };
        const gone = erasure ? { $unset: { mail_bounced_at: 1 as const } } : {};
        const update = { $set: fields, ...gone, $push: { outbox: { $each: outbox } } };
        await model.updateOne({ _id: id }, update, { session });
        return { user: changed.user, outbox };
      });
      if (saved) relay.committed(model, id, saved.outbox);
      return saved?.user ?? null;
    },
    ...userQueries(model),
    /** By the driver, as lists are read. */
    ofCompany: createCompanyList<UserDocument>(userList, createListReader(collectionOf(model), unread)),
    ...passwordQueries(model),
    ...subjectQueries(model),
    /** Notes that an invitation waits to be sent. */
    async noteInvitation(_id: string, invitation: Invitation, within: Within): Promise<void> {
      await model.updateOne({ _id }, { $set: { invitation } }, within);
    },
    /** Notes what became of the invitation, unless a newer one was asked for. */
    async noteInvited(_id: string, mailId: string, result: 'sent' | 'failed'): Promise<void> {
      await model.updateOne({ _id, 'invitation.mail_id': mailId }, { $set: { 'invitation.result': result } });
    },
    /** Notes that an e-mail to the user came back. */
    async noteBounce(_id: string, at: Date): Promise<void> {
      await model.updateOne({ _id, erasure: { $exists: false } }, { $set: { mail_bounced_at: at } });
    },
    /** Notes that e-mails arrive again: none has come back since `until`. */
    async clearBounce(_id: string, until: Date): Promise<void> {
      await model.updateOne({ _id, mail_bounced_at: { $lte: until } }, { $unset: { mail_bounced_at: 1 } });
    },
  };
}

function userQueries(model: Model<UserDocument>) {
  return {
    async find(id: string): Promise<User | null> {
      const found = await model.findById(id).lean<UserDocument>();
      return found && toUser(found);
    },
    async findIn(companyId: string, id: string): Promise<User | null> {
      const found = await model.findOne({ _id: id, company_id: companyId }).lean<UserDocument>();
      return found && toUser(found);
    },
    /** Whether the company has an active admin besides this user. */
    async hasOtherAdmin(companyId: string, userId: string, session: Session): Promise<boolean> {
      const admins = {
        company_id: companyId,
        active: { $ne: false },
        permissions: 'admin' as const,
        _id: { $ne: userId },
      };
      return (await model.countDocuments(admins, { session, limit: 1 })) > 0;
    },
    /** How many users the company has, at most `limit`. */
    count: (companyId: string, limit: number, within: Within): Promise<number> =>
      model.countDocuments({ company_id: companyId }, { limit, ...within }).exec(),
    /** Those of the ids that are users of the company. */
    async findOf(companyId: string, ids: string[]): Promise<User[]> {
      const found = await model
        .find({ _id: { $in: ids }, company_id: companyId })
        .sort({ _id: 1 })
        .lean<UserDocument[]>();
      return found.map(toUser);
    },
    /** The names of these users, whatever their companies: of people who did something that others see. */
    named: (ids: readonly string[]): Promise<Pick<User, 'id' | 'first_name' | 'last_name'>[]> =>
      model
        .find({ _id: { $in: ids } }, { first_name: 1, last_name: 1 })
        .lean<Pick<UserDocument, '_id' | 'first_name' | 'last_name'>[]>()
        .then((found) => found.map(({ _id: id, first_name, last_name }) => ({ id, first_name, last_name }))),
    /** A page of users, ascending by id; of one company, if it is given. */
    async list({ limit, cursor }: Page, companyId?: string): Promise<User[]> {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      const found = model.find(companyId === undefined ? after : { company_id: companyId, ...after }).sort({ _id: 1 });
      if (companyId !== undefined) found.hint('company');
      return (await found.limit(limit).lean<UserDocument[]>()).map(toUser);
    },
    /** The same of those with all words of the text. */
    async search(text: string, page: Page, company_id?: string): Promise<User[]> {
      const within = company_id === undefined ? { hint: 'words' } : { hint: 'companyWords', filter: { company_id } };
      return (await findByWords(model, { text, ...within }, page)).map(toUser);
    },
  };
}

function passwordQueries(model: Model<UserDocument>) {
  return {
    /**
     * `email` in lower case. Several companies may have invited an address: it is the user's who has accepted, and nobody's
     * before that.
     */
    async findForLogin(email: string): Promise<{ user: User; passwordHash: string | null } | null> {
      const all = model.find({ email }).sort({ invited: 1, _id: -1 }).hint('login').limit(2);
      const [found, other] = await all.select('+password_hash').lean<UserDocument[]>();
      if (!found || (found.invited && other)) return null;
      return { user: toUser(found), passwordHash: found.password_hash };
    },
    /** The password hash of a user. */
    async passwordHash(id: string): Promise<string | null> {
      const found = await model.findById(id).select('password_hash').lean<Pick<UserDocument, 'password_hash'>>();
      return found?.password_hash ?? null;
    },
    /** Replaces the hash `from`; false if it has changed meanwhile. */
    async replacePasswordHash(
      { id, from, to }: { id: string; from: string; to: string },
      within: Within,
    ): Promise<boolean> {
      const { matchedCount } = await model.updateOne(
        { _id: id, password_hash: from },
        { $set: { password_hash: to } },
        within,
      );
      return matchedCount === 1;
    },
    /**
     * Sets a first password, or one that replaces a forgotten one.
     * @throws AppError conflict `email_taken` if somebody of another company has accepted an invitation of the address
     */
    async setPasswordHash(id: string, hash: string, within: Within): Promise<void> {
      const fields = { password_hash: hash, invited: false };
      await model.updateOne({ _id: id }, { $set: fields }, within).catch(refuseTakenEmail);
    },
  };
}

function subjectQueries(model: Model<UserDocument>) {
  return {
    /** The user of the company with this address. */
    async findByEmail(company_id: string, email: string): Promise<User | null> {
      const found = await model.findOne({ company_id, email }).lean<UserDocument>();
      return found && toUser(found);
    },
    /** The user of the company who is bound to the subject. */
    async findBySubject(company_id: string, { issuer, sub }: Subject): Promise<User | null> {
      const bound = { company_id, 'subject.sub': sub, 'subject.issuer': issuer };
      const found = await model.findOne(bound).hint('subject').lean<UserDocument>();
      return found && toUser(found);
    },
    /**
     * Binds a user to a subject, which accepts the invitation. False if the user is bound to another one of the issuer.
     * @throws AppError conflict `email_taken` if somebody of another company has accepted an invitation of the address
     */
    async bind(_id: string, { issuer, sub }: Subject): Promise<boolean> {
      const free = { $or: [{ 'subject.issuer': { $ne: issuer } }, { 'subject.sub': sub }] };
      const fields = { subject: { issuer, sub }, invited: false };
      const { matchedCount } = await model.updateOne({ _id, ...free }, { $set: fields }).catch(refuseTakenEmail);
      return matchedCount === 1;
    },
  };
}

function refuseTakenEmail(error: unknown): never {
  if (isDuplicateKey(error, 'acceptedEmail') || isDuplicateKey(error, 'companyEmail'))
    throw new AppError('conflict', 'email_taken', 'a user has this e-mail address');
  throw error;
}

export function toUser({
  _id,
  company_id,
  email,
  first_name,
  last_name,
  phone,
  permissions,
  ...more
}: UserDocument): User {
  const { active, version, invited, place_ids = [] } = more;
  const given = { id: _id, company_id, email, first_name, last_name, phone, permissions, place_ids };
  const snapshot = { ...given, active, version };
  const invitation = more.invitation ? { invitation: more.invitation } : {};
  const erased = more.erasure ? { erasure: more.erasure } : {};
  const bound = more.subject ? { subject: more.subject } : {};
  const bounced = more.mail_bounced_at ? { mail_bounced_at: more.mail_bounced_at.toISOString() } : {};
  const state = { invited, created_at: more.created_at.toISOString() };
  return { ...snapshot, ...state, ...invitation, ...erased, ...bound, ...bounced };
}
