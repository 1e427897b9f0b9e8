import { createHash } from 'node:crypto';
import { newId } from '@app/kernel';
import type { Within } from '@app/runtime/idempotency';
import { type Connection, Schema } from 'mongoose';
import type { AccountMailStore } from '../account-mail-store.ts';
import type { Refusal } from './refusal-mail.ts';

/** `_id`: the hash of the address, which may be anybody's. */
type ToldDocument = { _id: string; until: Date };

const toldSchema = new Schema<ToldDocument>(
  { _id: { type: String, required: true }, until: { type: Date, required: true } },
  { versionKey: false, collection: 'mail_refusals' },
);
toldSchema.index({ until: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

const onceMs = 24 * 3_600_000;

type Deps = { connection: Connection; mails: Pick<AccountMailStore, 'add'> };
type Told = { to: string; locale: string | null; refusal: Refusal };

export type RefusalStore = ReturnType<typeof createRefusalStore>;

/** Who was told lately why an answer was refused: nobody is told twice a day. */
export function createRefusalStore({ connection, mails }: Deps) {
  const model = connection.model<ToldDocument>('MailRefusal', toldSchema);
  return {
    /** Adds the e-mail that tells it, in the transaction, unless the address was told within a day. */
    async tell({ to: email, locale, refusal }: Told, at: Date, within: Required<Within>): Promise<void> {
      const _id = createHash('sha256').update(email).digest('base64url');
      const told = await model.findById(_id, null, within).lean<ToldDocument>();
      if (told && told.until > at) return;
      const until = new Date(at.getTime() + onceMs);
      await model.updateOne({ _id }, { $set: { until } }, { upsert: true, ...within });
      const mail = { id: newId(at), kind: 'refusal' as const, email, user_id: null, locale, created_at: at, tries: 0 };
      await mails.add({ ...mail, refusal }, within);
    },
  };
}
