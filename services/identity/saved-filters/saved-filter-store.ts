import { AppError, newId } from '@app/kernel';
import { documentSchema } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';

export type FilteredList = 'tickets' | 'invoices';

/** A filter of a list under a name. `query`: of the page that shows the list. */
export type SavedFilter = { name: string; query: string; shared: boolean };
type Viewer = { company_id: string; user_id: string; list: FilteredList };
export type StoredFilter = SavedFilter & Viewer & { _id: string };

export type SavedFilterStore = ReturnType<typeof createSavedFilterStore>;

/** Of one user for one list, as many shared as not; and of a company: what it shares for one list. */
const [maxOwn, maxShared] = [20, 100];

const schema = documentSchema<StoredFilter>('saved_filters');
schema.index({ company_id: 1, list: 1, shared: 1, name: 1 }, { name: 'shared' });
schema.index({ user_id: 1, list: 1, name: 1 }, { name: 'own', unique: true });

export function createSavedFilterStore({ connection }: { connection: Connection }) {
  const model = connection.model<StoredFilter>('SavedFilter', schema);
  return {
    /** The user's own, and those that the company shares, by name. */
    list({ company_id, user_id, list }: Viewer): Promise<StoredFilter[]> {
      const seen = model.find({ company_id, list, $or: [{ shared: true }, { user_id }] });
      return seen.sort({ name: 1, _id: 1 }).lean<StoredFilter[]>().exec();
    },
    /** Replaces the user's own of that name. @throws AppError unprocessable `saved_filter_limit` */
    async save({ company_id, user_id, list }: Viewer, { name, query, shared }: SavedFilter): Promise<StoredFilter> {
      const not = { $or: [{ name: { $ne: name } }, { user_id: { $ne: user_id } }] };
      const others = (of: object) => model.countDocuments({ ...of, list, shared, ...not });
      // Two at once may both pass: the limits only keep menus short.
      if ((await others({ user_id })) >= maxOwn || (shared && (await others({ company_id })) >= maxShared))
        throw new AppError('unprocessable', 'saved_filter_limit', 'there are too many of them: remove one first');
      const update = { $set: { query, shared }, $setOnInsert: { _id: newId(), company_id } };
      const options = { upsert: true, returnDocument: 'after' } as const;
      return model.findOneAndUpdate({ user_id, list, name }, update, options).orFail().lean<StoredFilter>().exec();
    },
    async remove(id: string): Promise<void> {
      await model.deleteOne({ _id: id });
    },
    /** Removes those of a user; what is shared stays the company's. */
    async removeOwn(user_id: string, within: Within): Promise<void> {
      await model.deleteMany({ user_id, shared: false }, within);
    },
  };
}
