/**
 * Whether a company speaks for the addresses of a domain: a TXT record of the domain names the company, or the
 * platform's operator has granted it.
 */
export type DomainProof = {
  company_id: string;
  domain: string;
  granted: boolean;
  /** When the record was seen last. */
  proven_at: Date | null;
  /** When a proven domain was first found without the record. */
  missing_since: Date | null;
  /** When DNS answered last. */
  looked_up_at: Date | null;
};

const dayMs = 24 * 3_600_000;
/** How long a proof counts while DNS does not answer. */
const unansweredDays = 7;
/** How long a proof counts while the record is missing: a DNS server may answer wrongly while it is changed. */
const missingMs = 3_600_000;
/** How often a missing record is looked up again. */
const missingRetryMs = 300_000;

export function noProof(company_id: string, domain: string): DomainProof {
  return { company_id, domain, granted: false, proven_at: null, missing_since: null, looked_up_at: null };
}

/** The TXT record that proves the domain. Its value is no secret: only who holds the domain can publish it there. */
export function recordOf({ company_id, domain }: Pick<DomainProof, 'company_id' | 'domain'>) {
  return { name: `_facility-platform.${domain}`, value: `company=${company_id}` };
}

/** The proof after DNS has answered. One that counted once is kept, so that its record is looked up again. */
export function answered(proof: DomainProof, isThere: boolean, at: Date): DomainProof {
  if (isThere) return { ...proof, proven_at: at, missing_since: null, looked_up_at: at };
  const missing_since = proof.proven_at && (proof.missing_since ?? at);
  return { ...proof, missing_since, looked_up_at: at };
}

export function counts({ granted, proven_at, missing_since }: DomainProof, at: Date): boolean {
  const isMissing = missing_since !== null && ageMs(missing_since, at) >= missingMs;
  return granted || (proven_at !== null && !isMissing && ageMs(proven_at, at) < unansweredDays * dayMs);
}

/** Whether the record is to be looked up again before the proof is used. */
export function isDue({ granted, missing_since, looked_up_at }: DomainProof, at: Date): boolean {
  if (granted) return false;
  return looked_up_at === null || ageMs(looked_up_at, at) >= (missing_since === null ? dayMs : missingRetryMs);
}

function ageMs(since: Date, at: Date): number {
  return at.getTime() - since.getTime();
}

export function stateOf(proof: DomainProof, at: Date): 'granted' | 'proven' | 'unproven' {
  if (proof.granted) return 'granted';
  return counts(proof, at) ? 'proven' : 'unproven';
}
