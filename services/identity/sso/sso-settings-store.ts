import { documentSchema, type SealedTexts } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';
import { type SsoSettings, sealContext } from './sso-settings.ts';

export type SsoSettingsStore = ReturnType<typeof createSsoSettingsStore>;

type SsoDocument = Omit<SsoSettings, 'company_id'> & { _id: string };

const ssoSchema = documentSchema<SsoDocument>('sso_settings');

export function createSsoSettingsStore({ connection }: { connection: Connection }) {
  const model = connection.model<SsoDocument>('SsoSettings', ssoSchema);
  return {
    async find(companyId: string): Promise<SsoSettings | null> {
      const found = await model.findById(companyId).lean<SsoDocument>();
      return found && settings(found);
    },
    async put({ company_id, ...fields }: SsoSettings, within: Within): Promise<void> {
      await model.updateOne({ _id: company_id }, { $set: fields }, { upsert: true, ...within });
    },
    /**
     * Saves settings without a new secret. False if the stored secret belongs to another issuer or client: it must not
     * be sent to this one.
     */
    async putKeepingSecret(
      { company_id, ...fields }: Omit<SsoSettings, 'sealed_secret'>,
      within: Within,
    ): Promise<boolean> {
      const { issuer, client_id } = fields;
      const { matchedCount } = await model.updateOne({ _id: company_id, issuer, client_id }, { $set: fields }, within);
      return matchedCount === 1;
    },
    /** Replaces the sealed secret by the same one, sealed with another key. */
    async updateSecret({ company_id, sealed_secret }: SsoSettings, sealedSecret: string): Promise<void> {
      await model.updateOne({ _id: company_id, sealed_secret }, { $set: { sealed_secret: sealedSecret } });
    },
    /** False if there are none. */
    async remove(companyId: string, within: Within): Promise<boolean> {
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
