import type { Permission, UserSnapshot } from '@app/contracts';
import { collectionOf, replaceUnlessNewer } from '@app/runtime';
import { knownIn } from '@app/service/restore';
import { type Connection, Schema } from 'mongoose';

/** Identity's users who may manage webhooks: they get the alerts. */
export type AlertRecipientStore = ReturnType<typeof createAlertRecipientStore>;

/** For a user who gets no alerts only the version is stored, so that an older state that arrives late has no effect. */
type RecipientRecord = { _id: string; companyId: string | null; email?: string; version?: number };

const maxRecipients = 20;
const permitted: readonly Permission[] = ['api_webhooks', 'admin'];

const recipientSchema = new Schema<RecipientRecord>(
  {
    _id: { type: String, required: true },
    companyId: { type: String, default: null },
    email: { type: String },
    version: { type: Number },
  },
  { versionKey: false, collection: 'alert_recipients' },
);
recipientSchema.index({ companyId: 1, _id: 1 }, { name: 'company' });

export function createAlertRecipientStore(connection: Connection) {
  const recipients = connection.model<RecipientRecord>('AlertRecipient', recipientSchema);
  return {
    /**
     * Stores the state of a user, unless a newer one is stored. One who may not manage webhooks, or is limited to places,
     * gets no alerts.
     */
    async update({ id, company_id: companyId, email, ...user }: UserSnapshot): Promise<void> {
      const { permissions, active, version, place_ids } = user;
      const getsAlerts = active && !place_ids && permissions.some((permission) => permitted.includes(permission));
      const record = getsAlerts ? { companyId, email, version } : { companyId: null, version };
      await replaceUnlessNewer(recipients, id, record);
    },
    /** Users that do not exist any more. */
    async remove(ids: string[]): Promise<void> {
      await recipients.deleteMany({ _id: { $in: ids } });
    },
    /** Recipients of all companies, a page at a time. By the driver: it goes through the whole collection. */
    known: knownIn(collectionOf(recipients), {
      filter: { companyId: { $ne: null } },
      projection: { companyId: 1 },
      thingsOf: ({ _id: id, companyId }) => [{ id, label: `of company ${companyId}`, within: null }],
    }),
    /** E-mail addresses, at most 20. */
    async addresses(companyId: string): Promise<string[]> {
      const found = await recipients.find({ companyId }).sort({ _id: 1 }).limit(maxRecipients).lean();
      return found.flatMap(({ email }) => email ?? []);
    },
  };
}
