import { documentSchema } from '@app/runtime';
import type { Within } from '@app/runtime/idempotency';
import type { Connection } from 'mongoose';
import type { DomainProof } from './domain-proof.ts';

export type DomainProofStore = ReturnType<typeof createDomainProofStore>;

type ProofDocument = DomainProof & { _id: string };

const proofSchema = documentSchema<ProofDocument>('domain_proofs');
proofSchema.index({ company_id: 1, domain: 1 }, { name: 'company' });
proofSchema.index({ domain: 1 }, { name: 'domain' });

export function createDomainProofStore({ connection }: { connection: Connection }) {
  const model = connection.model<ProofDocument>('DomainProof', proofSchema);
  return {
    /** Those of a company. */
    async of(company_id: string): Promise<DomainProof[]> {
      const found = await model.find({ company_id }).sort({ domain: 1 }).hint('company').lean<ProofDocument[]>();
      return found.map(({ _id, ...proof }) => ({ ...proof }));
    },
    /** The companies that were granted the domain, or proved it once, the latest first, at most ten. */
    async companiesOf(domain: string): Promise<string[]> {
      const proven = { domain, $or: [{ granted: true }, { proven_at: { $ne: null } }] };
      const latest = model.find(proven).sort({ granted: -1, proven_at: -1 }).hint('domain').limit(10);
      const found = await latest.lean<ProofDocument[]>();
      return found.map(({ company_id }) => company_id);
    },
    /** Keeps what DNS said. */
    async note({ company_id, domain, proven_at, missing_since, looked_up_at }: DomainProof): Promise<void> {
      const _id = idOf(company_id, domain);
      const insert = { company_id, domain, granted: false };
      await model.updateOne(
        { _id },
        { $set: { proven_at, missing_since, looked_up_at }, $setOnInsert: insert },
        { upsert: true },
      );
    },
    /** The company is granted these domains and no others. */
    async grant(company_id: string, domains: string[], within: Within): Promise<void> {
      await model.updateMany({ company_id, domain: { $nin: domains } }, { $set: { granted: false } }, within);
      for (const domain of domains) {
        const insert = { company_id, domain, proven_at: null, missing_since: null, looked_up_at: null };
        await model.updateOne(
          { _id: idOf(company_id, domain) },
          { $set: { granted: true }, $setOnInsert: insert },
          { upsert: true, ...within },
        );
      }
    },
  };
}

function idOf(companyId: string, domain: string): string {
  return `${companyId} ${domain}`;
}
