/**
 * Whether a company speaks for the addresses of a domain: a TXT record of the domain names the company, or the
 * platform's operator has granted it.
 */
export type DomainProof = {
  company_id: string;
  domain: string;
  granted: boolean;
  /** When the record was seen last; null if it was not there at the last look. */
  proven_at: Date | null;
  /** When DNS answered last. */
  looked_up_at: Date | null;
};

const dayMs = 24 * 3_600_000;
/** How long a proof counts while DNS does not answer. */
const unansweredDays = 7;

export function noProof(company_id: string, domain: string): DomainProof {
  return { company_id, domain, granted: false, proven_at: null, looked_up_at: null };
}

/** The TXT record that proves the domain. Its value is no secret: only who holds the domain can publish it there. */
export function recordOf({ company_id, domain }: Pick<DomainProof, 'company_id' | 'domain'>) {
  return { name: `_facility-platform.${domain}`, value: `company=${company_id}` };
}

export function counts({ granted, proven_at }: DomainProof, at: Date): boolean {
  return granted || (proven_at !== null && at.getTime() - proven_at.getTime() < unansweredDays * dayMs);
}

/** Whether the record is to be looked up again before the proof is used. */
export function isDue({ granted, looked_up_at }: DomainProof, at: Date): boolean {
  return !granted && (looked_up_at === null || at.getTime() - looked_up_at.getTime() >= dayMs);
}

export function stateOf(proof: DomainProof, at: Date): 'granted' | 'proven' | 'unproven' {
  if (proof.granted) return 'granted';
  return counts(proof, at) ? 'proven' : 'unproven';
}
