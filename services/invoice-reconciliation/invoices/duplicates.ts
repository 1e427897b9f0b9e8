import type { CanonicalInvoice } from '@app/contracts';
import {
  compareInvoices,
  duplicateKey,
  duplicateMarks,
  type InvoiceFingerprint,
  isSameNumber,
  numberKey,
  precedingNumbers,
  supplierNumbers,
} from '@app/matching';
import type { Invoice, InvoiceFlag, State } from './invoice.ts';
import { deletedStatus } from './provider-status.ts';

/** An invoice of the same client that shares a lookup key or a claim with another one. */
export type DuplicateCandidate = Pick<
  Invoice,
  '_id' | 'canonical' | 'content' | 'claims' | 'ticket_id' | 'reasons' | 'acknowledged' | 'conclusion'
> & {
  state: State;
  provider_status: string | null;
};

/**
 * The keys by which other invoices find this one; comparing the numbers then decides. Duplicates: supplier and number (`n:`), document hash (`h:`). Credit notes
 * and corrective invoices: SIREN and number (`p:`). A replaced invoice: what a corrective one names (`r:`).
 */
export function lookupKeys(canonical: CanonicalInvoice, hash: string | null): string[] {
  const { siren } = supplierNumbers(canonical.supplier, []);
  return [
    `n:${duplicateKey(canonical)}`,
    ...(hash === null ? [] : [`h:${hash}`]),
    ...(siren === null ? [] : numberKeys(siren, canonical)),
  ];
}

const precedingPrefix = 'p:';
const replacedPrefix = 'r:';

function numberKeys(siren: string, canonical: CanonicalInvoice): string[] {
  const replaced = canonical.kind === 'corrective' ? precedingNumbers(canonical) : [];
  const keys = replaced.map((number) => `${replacedPrefix}${siren}:${numberKey(number)}`);
  return [numberLookupKey(siren, canonical.number), ...new Set(keys)];
}

/** The keys of the invoices that a credit note or a corrective invoice names (`isNamedBy` decides). */
export function precedingKeys({ canonical, keys: { siren } }: Pick<Invoice, 'canonical' | 'keys'>): string[] {
  if (canonical === null || siren === null) return [];
  return [...new Set(precedingNumbers(canonical).map((number) => numberLookupKey(siren, number)))];
}

/** The lookup key of an invoice of this supplier with this number; comparing the numbers then decides. */
export function numberLookupKey(siren: string, number: string): string {
  return `${precedingPrefix}${siren}:${numberKey(number)}`;
}

type Named = Pick<CanonicalInvoice, 'number'> | null;
type Naming = Pick<CanonicalInvoice, 'kind' | 'number' | 'references'> | null;

/** Whether a credit note or a corrective invoice of the same supplier names the invoice. */
export function isNamedBy(named: Named, naming: Naming): boolean {
  if (named === null || naming === null) return false;
  return precedingNumbers(naming).some((number) => isSameNumber(number, named.number));
}

/** The keys of corrective invoices that replace an invoice with these lookup keys. */
export function replacingKeys(keys: readonly string[]): string[] {
  return keys
    .filter((key) => key.startsWith(precedingPrefix))
    .map((key) => `${replacedPrefix}${key.slice(precedingPrefix.length)}`);
}

/** True for the lookup keys that duplicates share. */
export function isDuplicateLookupKey(key: string): boolean {
  return !key.startsWith(precedingPrefix) && !key.startsWith(replacedPrefix);
}

/**
 * Compares an invoice with its duplicate candidates. `claims` are those that no candidate holds: number with total, and
 * document. A unique index covers claims, so that of two duplicates in a race only one is saved; the other decides again.
 */
export function compareDuplicates(
  invoice: Invoice,
  candidates: readonly DuplicateCandidate[],
): { suspected: boolean; flags: InvoiceFlag[]; claims: string[] } {
  const own = fingerprintOf(invoice);
  const relations = candidates.filter(isComparable).map((one) => compareInvoices(own, fingerprintOf(one)));
  const taken = new Set(candidates.flatMap(({ claims }) => claims));
  return {
    suspected: relations.includes('duplicate_suspected'),
    flags: relations.includes('same_number') ? ['same_number'] : [],
    claims: claimsOf(own).filter((claim) => !taken.has(claim)),
  };
}

export type RelatedRecord = Pick<Invoice, 'canonical' | 'content'>;

/** The relation to another invoice with a common lookup key, for a person who compares them: in any state. */
export function duplicateRelation(invoice: RelatedRecord, other: RelatedRecord): 'duplicate' | 'same_number' | null {
  if (invoice.canonical === null || other.canonical === null) return null;
  const relation = compareInvoices(fingerprintOf(invoice), fingerprintOf(other));
  return relation === 'duplicate_suspected' ? 'duplicate' : relation === 'same_number' ? relation : null;
}

/** All claims of an invoice, whether another one holds them or not. */
export function desiredClaims(invoice: Pick<Invoice, 'canonical' | 'content'>): string[] {
  return claimsOf(fingerprintOf(invoice));
}

function claimsOf(fingerprint: InvoiceFingerprint): string[] {
  const { hash } = fingerprint;
  return [...duplicateMarks(fingerprint).map((mark) => `n:${mark}`), ...(hash === null ? [] : [`h:${hash}`])];
}

/**
 * False for candidates that were never read; and for those on no ticket that are deleted, or are
 * duplicates themselves: suspected, cleared or not, or concluded as such.
 */
function isComparable({ canonical, ticket_id, reasons, acknowledged, ...rest }: DuplicateCandidate): boolean {
  const { provider_status, conclusion } = rest;
  if (canonical === null) return false;
  if (ticket_id !== null) return true;
  const isDuplicate = conclusion?.outcome === 'duplicate_of';
  const isSuspected = isDuplicate || [...reasons, ...acknowledged].includes('duplicate_suspected');
  return !isSuspected && provider_status !== deletedStatus;
}

function fingerprintOf({ canonical, content }: Pick<Invoice, 'canonical' | 'content'>): InvoiceFingerprint {
  const known = canonical as CanonicalInvoice;
  const { number, amounts } = known;
  return { key: duplicateKey(known), number, ttc: amounts.ttc, hash: content.document?.hash ?? null };
}
