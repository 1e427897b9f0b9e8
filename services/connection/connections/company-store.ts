import { type Connection as Database, Schema } from 'mongoose';

/** Ids of the client companies that exist, from identity's events; with or without connections. */
export type CompanyStore = ReturnType<typeof createCompanyStore>;

const schema = new Schema({ _id: { type: String, required: true } }, { versionKey: false, collection: 'clients' });

export function createCompanyStore(database: Database) {
  const model = database.model('Client', schema);
  return {
    async add(id: string): Promise<void> {
      await model.updateOne({ _id: id }, { $setOnInsert: { _id: id } }, { upsert: true });
    },
    exists: async (id: string): Promise<boolean> => (await model.exists({ _id: id })) !== null,
  };
}
