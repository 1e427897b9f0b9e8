import type { Within } from '@app/idempotency';
import { type Connection, Schema } from 'mongoose';

/** How a user wants to see things; null: as their browser says. */
export type Preferences = {
  /** BCP 47, `fr-FR`. */
  locale: string | null;
  /** IANA, `Europe/Paris`. */
  time_zone: string | null;
  /** What a user interface keeps for the user, by names of its own. */
  views: Record<string, unknown>;
};

export type PreferencesStore = {
  find(userId: string): Promise<Preferences>;
  put(userId: string, preferences: Preferences): Promise<void>;
  remove(userId: string, within?: Within): Promise<void>;
};

/** `views` is JSON: its keys are not ours, and may be what MongoDB takes for operators. */
type PreferencesDocument = Omit<Preferences, 'views'> & { _id: string; views: string };

const preferencesSchema = new Schema<PreferencesDocument>(
  {
    _id: { type: String, required: true },
    locale: { type: String, default: null },
    time_zone: { type: String, default: null },
    views: { type: String, required: true },
  },
  { versionKey: false, collection: 'preferences' },
);

export function createPreferencesStore({ connection }: { connection: Connection }): PreferencesStore {
  const model = connection.model<PreferencesDocument>('Preferences', preferencesSchema);
  return {
    async find(userId) {
      const found = await model.findById(userId).lean<PreferencesDocument>();
      if (!found) return { locale: null, time_zone: null, views: {} };
      return { locale: found.locale, time_zone: found.time_zone, views: JSON.parse(found.views) };
    },
    async put(userId, { views, ...rest }) {
      await model.updateOne({ _id: userId }, { $set: { ...rest, views: JSON.stringify(views) } }, { upsert: true });
    },
    async remove(userId, within = {}) {
      await model.deleteOne({ _id: userId }, within);
    },
  };
}
