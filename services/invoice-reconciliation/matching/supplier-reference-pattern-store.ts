import { minPatternInvoices, patternKey, type ReferencePattern } from '@app/matching';
import { documentSchema, isDuplicateKey, modelOf } from '@app/runtime';
import type { Connection, Model } from 'mongoose';

/** How suppliers write references, learned from operators' links. */
export type ReferencePatternStore = ReturnType<typeof createReferencePatternStore>;

/** `names`: the field of the pattern. `invoices`: ids of those that showed it; some more than needed, for unlinked ones. */
type PatternRecord = Pick<ReferencePattern, 'prefix' | 'kind'> & {
  _id: string;
  client_id: string;
  contractor_id: string;
  names: ReferencePattern['field'];
  invoices: string[];
};

const maxInvoices = 10;
const maxPatterns = 50;

const schema = documentSchema<PatternRecord>('supplier_reference_patterns');
schema.index({ client_id: 1, contractor_id: 1 }, { name: 'contractor' });
schema.index({ client_id: 1, invoices: 1 }, { name: 'invoices' });

export function createReferencePatternStore({ connection }: { connection: Connection }) {
  const records = modelOf(connection, 'ReferencePattern', schema);

  async function forget(client_id: string, invoiceId: string): Promise<void> {
    const filter = { client_id, invoices: invoiceId };
    await records.updateMany(filter, { $pull: { invoices: invoiceId } }).hint('invoices');
  }

  return {
    /** Patterns of these contractors that enough invoices have shown. */
    async find(client_id: string, contractorIds: readonly string[]): Promise<ReferencePattern[]> {
      const shownEnough = { [`invoices.${minPatternInvoices - 1}`]: { $exists: true } };
      const filter = { client_id, contractor_id: { $in: [...contractorIds] }, ...shownEnough };
      const found = await records.find(filter).hint('contractor').limit(maxPatterns).lean();
      return found.map(({ names, prefix, kind }) => ({ field: names, prefix, kind }));
    },
    /** Records the patterns that the link of an invoice shows; those of an earlier link of it are forgotten. */
    async learn(
      { clientId, contractorId, invoiceId }: { clientId: string; contractorId: string; invoiceId: string },
      patterns: readonly ReferencePattern[],
    ): Promise<void> {
      await forget(clientId, invoiceId);
      for (const pattern of patterns) await record(records, { clientId, contractorId, invoiceId, pattern });
    },
    /** Forgets what an invoice has shown: it was unlinked. */
    forget,
  };
}

type Observation = { clientId: string; contractorId: string; invoiceId: string; pattern: ReferencePattern };

async function record(records: Model<PatternRecord>, observation: Observation): Promise<void> {
  const { clientId: client_id, contractorId: contractor_id, invoiceId, pattern } = observation;
  const { field: names, prefix, kind } = pattern;
  const _id = `${client_id}:${contractor_id}:${patternKey(pattern)}`;
  try {
    await records.updateOne(
      { _id, [`invoices.${maxInvoices - 1}`]: { $exists: false } },
      { $setOnInsert: { names, prefix, kind, client_id, contractor_id }, $addToSet: { invoices: invoiceId } },
      { upsert: true },
    );
  } catch (error) {
    // The record exists, and enough invoices have shown the pattern.
    if (!isDuplicateKey(error, '_id_')) throw error;
  }
}
