import type { UserSnapshot } from '@app/contracts';
import { type Connection, Schema } from 'mongoose';

/** Copies of identity's users as far as they are told of an endpoint's trouble: those who may manage webhooks. */
export type ContactStore = {
  /** Keeps the newest facts of a user; one who may not manage webhooks is forgotten. */
  keep(user: UserSnapshot): Promise<void>;
  /** E-mail addresses, at most 20. */
  addresses(companyId: string): Promise<string[]>;
  /** True until `asked`: identity's users of before this service listened are not known here. */
  mustAsk(): Promise<boolean>;
  asked(at: Date): Promise<void>;
};

type ContactRecord = { _id: string; companyId: string; email: string };
type AskedRecord = { _id: string; at: Date };

const told = 20;
const permitted = ['api_webhooks', 'admin'];

const contactSchema = new Schema<ContactRecord>(
  {
    _id: { type: String, required: true },
    companyId: { type: String, required: true },
    email: { type: String, required: true },
  },
  { versionKey: false, collection: 'contacts' },
);
contactSchema.index({ companyId: 1, _id: 1 }, { name: 'company' });

const askedSchema = new Schema<AskedRecord>(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { versionKey: false, collection: 'asked' },
);

export function createContactStore(connection: Connection): ContactStore {
  const contacts = connection.model('Contact', contactSchema);
  const asked = connection.model('Asked', askedSchema);
  return {
    async keep({ id, company_id: companyId, email, permissions }) {
      if (!permissions.some((permission) => permitted.includes(permission))) {
        await contacts.deleteOne({ _id: id });
        return;
      }
      await contacts.updateOne({ _id: id }, { $set: { companyId, email } }, { upsert: true });
    },
    async addresses(companyId) {
      const found = await contacts.find({ companyId }).sort({ _id: 1 }).limit(told).lean();
      return found.map(({ email }) => email);
    },
    mustAsk: async () => (await asked.exists({ _id: 'users' })) === null,
    async asked(at) {
      await asked.updateOne({ _id: 'users' }, { $set: { at } }, { upsert: true });
    },
  };
}
