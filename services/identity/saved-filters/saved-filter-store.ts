import { AppError } from '@app/kernel';
import { type ProtectedWrite, type Within, writeOnceIn } from '@app/runtime/idempotency';
import { type Connection, Schema } from 'mongoose';
import { maxOwn, maxShared, type SavedFilter, type SavedFilterInput } from './saved-filter.ts';

/** A user, and a list. */
type Viewer = Pick<SavedFilter, 'company_id' | 'user_id' | 'list'>;

export type SavedFilterStore = {
  /** The user's own, and those that the company shares, by name. */
  list(viewer: Viewer): Promise<SavedFilter[]>;
  /** Null also for one of somebody else that is not shared. */
  find(viewer: Viewer, id: string): Promise<SavedFilter | null>;
  /** @throws AppError unprocessable `saved_filter_limit` */
  add(filter: SavedFilter, write: ProtectedWrite | null): Promise<SavedFilter>;
  /** @throws AppError unprocessable `saved_filter_limit` */
  change(filter: SavedFilter, change: Partial<SavedFilterInput>): Promise<SavedFilter>;
  remove(id: string): Promise<void>;
  /** Removes those of a user; what is shared stays the company's. */
  removeOwn(userId: string, within: Within): Promise<void>;
};

type Stored = Omit<SavedFilter, 'id'> & { _id: string };

const schema = new Schema<Stored>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    user_id: { type: String, required: true },
    list: { type: String, required: true },
    name: { type: String, required: true },
    query: { type: String, required: true },
    shared: { type: Boolean, required: true },
  },
  { versionKey: false, collection: 'saved_filters' },
);
schema.index({ company_id: 1, list: 1, shared: 1, name: 1 }, { name: 'shared' });
schema.index({ user_id: 1, list: 1 }, { name: 'own' });

export function createSavedFilterStore({ connection }: { connection: Connection }): SavedFilterStore {
  const model = connection.model<Stored>('SavedFilter', schema);

  /** Two at once may both pass: the limit only keeps menus short. */
  async function refuseTooMany({ company_id, user_id, list, shared }: Omit<SavedFilter, 'id'>): Promise<void> {
    const [count, most] = shared
      ? [await model.countDocuments({ company_id, list, shared: true }), maxShared]
      : [await model.countDocuments({ user_id, list, shared: false }), maxOwn];
    if (count < most) return;
    const message = `there are ${most} of them already: remove one that nobody needs`;
    throw new AppError('unprocessable', 'saved_filter_limit', message);
  }

  return {
    async list({ company_id, user_id, list }) {
      const all = [{ company_id, list, shared: true }, { company_id, list, shared: false, user_id }];
      const found = await model.find({ $or: all }).sort({ name: 1, _id: 1 }).lean<Stored[]>();
      return found.map(saved);
    },
    async find({ company_id, user_id, list }, id) {
      const seen = { $or: [{ shared: true }, { user_id }] };
      const found = await model.findOne({ _id: id, company_id, list, ...seen }).lean<Stored>();
      return found && saved(found);
    },
    add: ({ id, ...filter }, write) =>
      writeOnceIn(write, connection, async (within) => {
        await refuseTooMany(filter);
        await model.create([{ _id: id, ...filter }], within);
        return { id, ...filter };
      }),
    async change({ id, ...filter }, change) {
      const changed = { ...filter, ...change };
      if (changed.shared !== filter.shared) await refuseTooMany(changed);
      await model.updateOne({ _id: id }, { $set: change });
      return { id, ...changed };
    },
    async remove(id) {
      await model.deleteOne({ _id: id });
    },
    async removeOwn(user_id, within) {
      await model.deleteMany({ user_id, shared: false }, within);
    },
  };
}

function saved({ _id, ...filter }: Stored): SavedFilter {
  return { id: _id, ...filter };
}
