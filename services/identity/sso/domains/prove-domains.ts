import type { Logger } from '@app/runtime';
import { answered, counts, type DomainProof, isDue, noProof, recordOf } from './domain-proof.ts';
import type { DomainProofStore } from './domain-proof-store.ts';
import type { LookUpTxt } from './txt-lookup.ts';

export type DomainProver = ReturnType<typeof createDomainProver>;

type Deps = { domainProofs: DomainProofStore; lookUpTxt: LookUpTxt; logger: Logger; now: () => Date };

const isProven = ({ proven_at, missing_since }: DomainProof) => proven_at !== null && missing_since === null;

export function createDomainProver({ domainProofs, lookUpTxt, logger, now }: Deps) {
  async function lookUp(proof: DomainProof): Promise<DomainProof> {
    const { name, value } = recordOf(proof);
    const log = { companyId: proof.company_id, domain: proof.domain };
    try {
      const isThere = (await lookUpTxt(name)).includes(value);
      const next = answered(proof, isThere, now());
      if (isThere !== isProven(proof)) logger.info(isThere ? 'domain proven' : 'domain not proven', log);
      await domainProofs.note(next);
      return next;
    } catch (error) {
      // What was proven counts for some more days, and is looked up again at its next use.
      logger.warn('DNS does not answer', { ...log, error });
      return proof;
    }
  }

  async function proofsOf(companyId: string, domains: string[], { again = false } = {}): Promise<DomainProof[]> {
    const known = new Map((await domainProofs.of(companyId)).map((proof) => [proof.domain, proof]));
    return Promise.all(
      domains.map((domain) => {
        const proof = known.get(domain) ?? noProof(companyId, domain);
        return isDue(proof, now()) || (again && !proof.granted) ? lookUp(proof) : proof;
      }),
    );
  }

  return {
    /**
     * The proofs of domains of a company, those that are a day old looked up again.
     * `again`: all that were not granted are.
     */
    proofsOf,
    /** Whether the company speaks for addresses of the domain. */
    async speaksFor(companyId: string, domain: string): Promise<boolean> {
      const [proof] = await proofsOf(companyId, [domain]);
      return proof !== undefined && counts(proof, now());
    },
  };
}
