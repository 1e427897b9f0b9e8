import type { SealedTexts } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import { type Connection, Schema } from 'mongoose';
import { type SsoSettings, sealContext } from './sso-settings.ts';

export type SsoSettingsStore = {
  find(companyId: string): Promise<SsoSettings | null>;
  put(settings: SsoSettings, within: Within): Promise<void>;
  /**
   * Saves settings without a new secret. False if the stored secret belongs to another issuer or client: it must not
   * be sent to this one.
   */
  putKeepingSecret(settings: Omit<SsoSettings, 'sealed_secret'>, within: Within): Promise<boolean>;
  /** Replaces the sealed secret by the same one, sealed with another key. */
  updateSecret(settings: SsoSettings, sealedSecret: string): Promise<void>;
  /** False if there are none. */
  remove(companyId: string, within: Within): Promise<boolean>;
};

type SsoDocument = Omit<SsoSettings, 'company_id'> & { _id: string };

const required = { type: String, required: true };
const ssoSchema = new Schema<SsoDocument>(
  {
    _id: required,
    issuer: required,
    client_id: required,
    sealed_secret: required,
    allowed_domains: { type: [String], required: true },
    default_permissions: { type: [String], required: true },
    password_login: { type: Boolean, required: true },
    version: required,
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, collection: 'sso_settings' },
);

export function createSsoSettingsStore({ connection }: { connection: Connection }): SsoSettingsStore {
  const model = connection.model<SsoDocument>('SsoSettings', ssoSchema);
  return {
    async find(companyId) {
      const found = await model.findById(companyId).lean<SsoDocument>();
      return found && settings(found);
    },
    async put({ company_id, ...fields }, within) {
      await model.updateOne({ _id: company_id }, { $set: fields }, { upsert: true, ...within });
    },
    async putKeepingSecret({ company_id, ...fields }, within) {
      const { issuer, client_id } = fields;
      const { matchedCount } = await model.updateOne({ _id: company_id, issuer, client_id }, { $set: fields }, within);
      return matchedCount === 1;
    },
    async updateSecret({ company_id, sealed_secret }, sealedSecret) {
      await model.updateOne({ _id: company_id, sealed_secret }, { $set: { sealed_secret: sealedSecret } });
    },
    async remove(companyId, within) {
      return (await model.deleteOne({ _id: companyId }, within)).deletedCount === 1;
    },
  };
}

/** The client secrets of all companies, for `npm run ops -- re-encrypt`. By the driver: it goes through the whole collection. */
export function sealedClientSecrets(connection: Connection): SealedTexts<SsoDocument> {
  return {
    collection: connection.collection<SsoDocument>('sso_settings'),
    filter: {},
    sealedIn: ({ _id, sealed_secret: sealed }) => [{ field: 'sealed_secret', sealed, context: sealContext(_id) }],
  };
}

function settings({ _id, ...fields }: SsoDocument): SsoSettings {
  return { company_id: _id, ...fields };
}
