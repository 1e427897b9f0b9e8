import { type Habit, habitKey, habitShownBy } from '@app/matching';
import { isDuplicateKey } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';

/** How suppliers write references, as links by hand show it (domain.md section 6.2, learning without a model). */
export type HabitStore = {
  /** What several invoices of one of these contractors have shown. */
  of(clientId: string, contractorIds: readonly string[]): Promise<Habit[]>;
  /** What a link by hand shows; a link of the same invoice before shows nothing any more. */
  learn(link: { clientId: string; contractorId: string; invoiceId: string }, habits: readonly Habit[]): Promise<void>;
  /** The link was undone. */
  forget(clientId: string, invoiceId: string): Promise<void>;
};

/** `invoices`: ids of those that showed it, as many as it takes and a few more, for those whose link is undone. */
type HabitRecord = Habit & { _id: string; client_id: string; contractor_id: string; invoices: string[] };

const mostInvoices = 10;
const mostHabits = 50;

const required = { type: String, required: true } as const;
const schema = new Schema<HabitRecord>(
  {
    ...{ _id: required, client_id: required, contractor_id: required, names: required, kind: required },
    prefix: { type: String },
    invoices: { type: [String], required: true },
  },
  { versionKey: false, collection: 'supplier_habits' },
);
schema.index({ client_id: 1, contractor_id: 1 }, { name: 'contractor' });
schema.index({ client_id: 1, invoices: 1 }, { name: 'invoices' });

export function createHabitStore({ connection }: { connection: Connection }): HabitStore {
  const { collection } = connection.models['SupplierHabit'] ?? connection.model('SupplierHabit', schema);
  const habits = connection.collection<HabitRecord>(collection.collectionName);

  async function forget(client_id: string, invoiceId: string): Promise<void> {
    await habits.updateMany(
      { client_id, invoices: invoiceId },
      { $pull: { invoices: invoiceId } },
      { hint: 'invoices' },
    );
  }

  return {
    async of(client_id, contractorIds) {
      const shown = { [`invoices.${habitShownBy - 1}`]: { $exists: true } };
      const found = habits.find(
        { client_id, contractor_id: { $in: [...contractorIds] }, ...shown },
        { projection: { _id: 0, names: 1, prefix: 1, kind: 1 }, hint: 'contractor' },
      );
      return found.limit(mostHabits).toArray();
    },
    async learn({ clientId, contractorId, invoiceId }, shown) {
      await forget(clientId, invoiceId);
      for (const habit of shown) {
        const _id = `${clientId}:${contractorId}:${habitKey(habit)}`;
        const known = { ...habit, client_id: clientId, contractor_id: contractorId };
        await habits
          .updateOne(
            { _id, [`invoices.${mostInvoices - 1}`]: { $exists: false } },
            { $setOnInsert: known, $addToSet: { invoices: invoiceId } },
            { upsert: true },
          )
          // It is there, and enough have shown it.
          .catch((error: unknown) => {
            if (!isDuplicateKey(error, '_id_')) throw error;
          });
      }
    },
    forget,
  };
}
