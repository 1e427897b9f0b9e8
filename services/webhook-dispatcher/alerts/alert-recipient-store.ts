import type { UserSnapshot } from '@app/contracts';
import { type Connection, Schema } from 'mongoose';

/** Copies of identity's users who may manage webhooks: they get the alerts. */
export type AlertRecipientStore = {
  /** Stores the newest state of a user, or removes one who may not manage webhooks. */
  update(user: UserSnapshot): Promise<void>;
  /** E-mail addresses, at most 20. */
  addresses(companyId: string): Promise<string[]>;
  /** True until `markBackfilled`: users from before this service listened to them are missing. */
  backfillNeeded(): Promise<boolean>;
  markBackfilled(at: Date): Promise<void>;
};

type RecipientRecord = { _id: string; companyId: string; email: string };
type BackfillRecord = { _id: string; at: Date };

const maxRecipients = 20;
const permitted = ['api_webhooks', 'admin'];

const recipientSchema = new Schema<RecipientRecord>(
  {
    _id: { type: String, required: true },
    companyId: { type: String, required: true },
    email: { type: String, required: true },
  },
  { versionKey: false, collection: 'contacts' },
);
recipientSchema.index({ companyId: 1, _id: 1 }, { name: 'company' });

const backfillSchema = new Schema<BackfillRecord>(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { versionKey: false, collection: 'asked' },
);

export function createAlertRecipientStore(connection: Connection): AlertRecipientStore {
  const recipients = connection.model('AlertRecipient', recipientSchema);
  const backfills = connection.model('Backfill', backfillSchema);
  return {
    async update({ id, company_id: companyId, email, permissions }) {
      if (permissions.some((permission) => permitted.includes(permission)))
        await recipients.updateOne({ _id: id }, { $set: { companyId, email } }, { upsert: true });
      else await recipients.deleteOne({ _id: id });
    },
    async addresses(companyId) {
      const found = await recipients.find({ companyId }).sort({ _id: 1 }).limit(maxRecipients).lean();
      return found.map(({ email }) => email);
    },
    backfillNeeded: async () => (await backfills.exists({ _id: 'users' })) === null,
    async markBackfilled(at) {
      await backfills.updateOne({ _id: 'users' }, { $set: { at } }, { upsert: true });
    },
  };
}
