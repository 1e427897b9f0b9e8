import { type Connection, Schema } from 'mongoose';

/** `_id`: company and day. */
type CountDocument = { _id: string; count: number; expires_at: Date };

const countSchema = new Schema<CountDocument>(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'mail_counts' },
);
countSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

const dayMs = 24 * 3_600_000;

export type MailCountStore = ReturnType<typeof createMailCountStore>;

/** How many e-mails each company was sent on a day (UTC). */
export function createMailCountStore({ connection }: { connection: Connection }) {
  const model = connection.model<CountDocument>('MailCount', countSchema);
  const idOf = (companyId: string, at: Date) => `${companyId} ${at.toISOString().slice(0, 10)}`;
  return {
    of: async (companyId: string, at: Date): Promise<number> =>
      (await model.findById(idOf(companyId, at)).lean<CountDocument>())?.count ?? 0,
    async add(companyId: string, at: Date): Promise<void> {
      const $setOnInsert = { expires_at: new Date(at.getTime() + 2 * dayMs) };
      await model.updateOne({ _id: idOf(companyId, at) }, { $inc: { count: 1 }, $setOnInsert }, { upsert: true });
    },
  };
}
