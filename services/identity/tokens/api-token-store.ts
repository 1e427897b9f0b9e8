import { randomInt } from 'node:crypto';
import { AppError, type Page } from '@app/kernel';
import { isDuplicateKey } from '@app/runtime';
import { type ProtectedWrite, type Within, writeOnce } from '@app/runtime/idempotency';
import { type Connection, type Model, Schema } from 'mongoose';
import { hashOf } from '../random-secret.ts';
import { type ApiToken, apiTokenLimit } from './api-token.ts';

type ApiTokenDocument = Omit<ApiToken, 'id' | 'created_at' | 'expires_at'> & {
  _id: string;
  slot: number;
  hash: string;
  created_at: Date;
  expires_at: Date | null;
};

type NewApiToken = { apiToken: ApiToken; secret: string };
type AddOptions = { write: ProtectedWrite | null; alongside: (within: Within) => Promise<void> };
type Owner = { id: string; company_id: string };

export type ApiTokenStore = ReturnType<typeof createApiTokenStore>;

const apiTokenSchema = new Schema<ApiTokenDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    company_id: { type: String, required: true },
    user_id: { type: String, required: true },
    made_by: { type: String, required: true },
    slot: { type: Number, required: true },
    hash: { type: String, required: true },
    created_at: { type: Date, required: true },
    prefix: { type: String, required: true },
    scopes: { type: [String], default: null },
    expires_at: { type: Date, default: null },
    last_used_at: { type: String, default: null },
  },
  { versionKey: false, collection: 'api_tokens' },
);
apiTokenSchema.index({ hash: 1 }, { unique: true, name: 'hash' });
// Each token of a company takes one of 100 slots: the unique index enforces the limit without a counter.
apiTokenSchema.index({ company_id: 1, slot: 1 }, { unique: true, name: 'slot' });
apiTokenSchema.index({ company_id: 1, _id: 1 }, { name: 'company' });

export function createApiTokenStore({ connection }: { connection: Connection }) {
  const model = connection.model<ApiTokenDocument>('ApiToken', apiTokenSchema);
  return {
    /**
     * Saves the token, and what `alongside` writes. `write`: of the request.
     * @returns what was saved, by an earlier attempt at this request or now
     * @throws AppError conflict `api_token_limit` if the company has 100
     */
    async add(created: NewApiToken, { write, alongside }: AddOptions): Promise<NewApiToken> {
      const { id, ...fields } = created.apiToken;
      const document = { _id: id, ...fields, hash: hashOf(created.secret) };
      return writeOnce(write, (saveResult) =>
        insertInFreeSlot(model, fields.company_id, (slot) =>
          connection.transaction(async (session) => {
            await model.create([{ ...document, slot }], { session });
            await alongside({ session });
            await saveResult?.(created, session);
            return created;
          }),
        ),
      );
    },
    /** Finds a token by its secret and notes the day of use. Null also for an expired token. */
    async use(secret: string, at: Date): Promise<ApiToken | null> {
      const found = await model.findOne({ hash: hashOf(secret) }).lean<ApiTokenDocument>();
      if (!found || (found.expires_at && found.expires_at <= at)) return null;
      const day = at.toISOString().slice(0, 10);
      // At most one write per day and token.
      if (found.last_used_at !== day) await model.updateOne({ _id: found._id }, { $max: { last_used_at: day } });
      return apiToken(found);
    },
    async find(id: string, companyId: string): Promise<ApiToken | null> {
      const found = await model.findOne({ _id: id, company_id: companyId }).lean<ApiTokenDocument>();
      return found && apiToken(found);
    },
    /** The company's tokens after the cursor, ascending by id, at most `limit`. */
    async list(companyId: string, { limit, cursor }: Page): Promise<ApiToken[]> {
      const after = cursor === undefined ? {} : { _id: { $gt: cursor } };
      const found = model.find({ company_id: companyId, ...after }).sort({ _id: 1 });
      return (await found.limit(limit).lean<ApiTokenDocument[]>()).map(apiToken);
    },
    /** False if there is none. */
    async remove(id: string, companyId: string, within: Within = {}): Promise<boolean> {
      const { deletedCount } = await model.deleteOne({ _id: id, company_id: companyId }, within);
      return deletedCount === 1;
    },
    /** The tokens of a user, read in the transaction that removes them or hands them over. */
    async listOf({ id, company_id }: Owner, within: Within): Promise<ApiToken[]> {
      const found = model.find({ company_id, user_id: id }, null, within).sort({ _id: 1 }).hint('company');
      return (await found.lean<ApiTokenDocument[]>()).map(apiToken);
    },
    async removeOf({ id, company_id }: Owner, within: Within = {}): Promise<void> {
      await model.deleteMany({ company_id, user_id: id }, within);
    },
    /** The tokens of a user act for another one of the same company from now on, with the permissions of that one. */
    async transfer({ id, company_id }: Owner, toUserId: string, within: Within = {}): Promise<void> {
      await model.updateMany({ company_id, user_id: id }, { $set: { user_id: toUserId } }, within);
    },
  };
}

/** Picks a random free slot, so that parallel inserts seldom pick the same one; whoever loses a slot picks again. */
async function insertInFreeSlot<T>(
  model: Model<ApiTokenDocument>,
  companyId: string,
  insert: (slot: number) => Promise<T>,
): Promise<T> {
  for (;;) {
    const taken = new Set(await model.distinct('slot', { company_id: companyId }));
    const free = Array.from({ length: apiTokenLimit }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    const slot = free[free.length > 0 ? randomInt(free.length) : 0];
    if (slot === undefined) {
      throw new AppError(
        'conflict',
        'api_token_limit',
        `a company has at most ${apiTokenLimit} API tokens; delete one`,
      );
    }
    try {
      return await insert(slot);
    } catch (error) {
      // One slot less is free now, so the loop ends.
      if (!isDuplicateKey(error, 'slot')) throw error;
    }
  }
}

function apiToken({ _id, created_at, expires_at, ...more }: ApiTokenDocument): ApiToken {
  const { name, company_id, user_id, made_by, prefix, scopes, last_used_at } = more;
  return {
    id: _id,
    name,
    company_id,
    user_id,
    made_by,
    created_at: created_at.toISOString(),
    prefix,
    scopes,
    last_used_at,
    expires_at: expires_at?.toISOString() ?? null,
  };
}
