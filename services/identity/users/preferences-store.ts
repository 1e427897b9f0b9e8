import { documentSchema } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';

/** Display preferences of a user; null: the setting of the browser. */
export type Preferences = {
  /** BCP 47, `fr-FR`. */
  locale: string | null;
  /** IANA, `Europe/Paris`. */
  time_zone: string | null;
  /** Data of user interfaces, under names that they choose. */
  views: Record<string, unknown>;
};

export type PreferencesStore = ReturnType<typeof createPreferencesStore>;

/** `views` is stored as JSON: callers choose its keys, and MongoDB could take them for operators. */
type PreferencesDocument = Omit<Preferences, 'views'> & { _id: string; views: string };

const preferencesSchema = documentSchema<PreferencesDocument>('preferences');

export function createPreferencesStore({ connection }: { connection: Connection }) {
  const model = connection.model<PreferencesDocument>('Preferences', preferencesSchema);
  return {
    async find(userId: string): Promise<Preferences> {
      const found = await model.findById(userId).lean<PreferencesDocument>();
      if (!found) return { locale: null, time_zone: null, views: {} };
      return { locale: found.locale, time_zone: found.time_zone, views: JSON.parse(found.views) };
    },
    /** The time zones of those of the users who chose one. */
    async timeZones(userIds: readonly string[]): Promise<Map<string, string | null>> {
      const found = await model.find({ _id: { $in: userIds } }, { time_zone: 1 }).lean<PreferencesDocument[]>();
      return new Map(found.map(({ _id, time_zone }) => [_id, time_zone]));
    },
    async put(userId: string, { views, ...rest }: Preferences): Promise<void> {
      await model.updateOne({ _id: userId }, { $set: { ...rest, views: JSON.stringify(views) } }, { upsert: true });
    },
    async remove(userId: string, within: Within = {}): Promise<void> {
      await model.deleteOne({ _id: userId }, within);
    },
  };
}
