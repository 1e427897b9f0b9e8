import type { CanonicalInvoice } from '@app/contracts';
import { duplicateKey, type InvoiceTwin, numberKey, precedingKeys, sameInvoice, supplierNumbers } from '@app/matching';
import type { Invoice, State } from './invoice.ts';

/** An invoice of the same client that shares a number or a document with this one. */
export type Twin = Pick<
  Invoice,
  '_id' | 'canonical' | 'content' | 'claims' | 'ticket_id' | 'reasons' | 'acknowledged'
> & {
  state: State;
  provider_status: string | null;
};

/**
 * What duplicates and credit notes find an invoice by: number and supplier, its document, its number alone per SIREN. And
 * those that a corrective invoice replaces find it by what it names.
 */
export function twinKeys(canonical: CanonicalInvoice, hash: string | null): string[] {
  const { siren } = supplierNumbers(canonical.supplier, []);
  return [
    `n:${duplicateKey(canonical)}`,
    ...(hash === null ? [] : [`h:${hash}`]),
    ...(siren === null ? [] : numbersOf(siren, canonical)),
  ];
}

function numbersOf(siren: string, canonical: CanonicalInvoice): string[] {
  const own = numberKey(canonical.number);
  // One that names itself replaces nothing.
  const replaced = canonical.kind === 'corrective' ? precedingKeys(canonical).filter((number) => number !== own) : [];
  return [precedingKey(siren, own), ...replaced.map((number) => `${replaces}${siren}:${number}`)];
}

const precedes = 'p:';
const replaces = 'r:';

export function precedingKey(siren: string, number: string): string {
  return `${precedes}${siren}:${number}`;
}

/** Under which the corrective invoices stand that replace an invoice of these keys (`twinKeys`). */
export function replacingKeys(keys: readonly string[]): string[] {
  return keys.filter((key) => key.startsWith(precedes)).map((key) => `${replaces}${key.slice(precedes.length)}`);
}

/** What `twinKeys` says of duplicates alone. */
export function isTwinKey(key: string): boolean {
  return !key.startsWith(precedes) && !key.startsWith(replaces);
}

/**
 * How the invoice stands to its twins, and what it may claim for itself: a number with its total, and its document. Of two
 * that come at the same moment only one gets them; the other is decided anew, and then knows.
 */
export function compareTwins(
  invoice: Invoice,
  twins: readonly Twin[],
): { suspected: boolean; flags: string[]; claims: string[] } {
  const own = twinOf(invoice);
  const relations = twins.filter((twin) => counts(twin)).map((twin) => sameInvoice(own, twinOf(twin)));
  const taken = new Set(twins.flatMap(({ claims }) => claims));
  return {
    suspected: relations.includes('duplicate_suspected'),
    flags: relations.includes('same_number') ? ['same_number'] : [],
    claims: wantedClaims(own).filter((claim) => !taken.has(claim)),
  };
}

/** What an invoice as it was read may claim, where no other one holds it. */
export function claimsWanted(invoice: Pick<Invoice, 'canonical' | 'content'>): string[] {
  return wantedClaims(twinOf(invoice));
}

function wantedClaims({ key, ttc, hash }: InvoiceTwin): string[] {
  return [`n:${key}:${Math.round(ttc * 100)}`, ...(hash === null ? [] : [`h:${hash}`])];
}

/** One that can't be read, that waits as a suspected duplicate itself or that a person said is none, makes no other one suspect. */
function counts({ canonical, ticket_id, reasons, acknowledged, provider_status }: Twin): boolean {
  if (canonical === null) return false;
  if (ticket_id !== null) return true;
  const isDoubted = [...reasons, ...acknowledged].includes('duplicate_suspected');
  return !isDoubted && provider_status !== 'deleted';
}

function twinOf({ canonical, content }: Pick<Invoice, 'canonical' | 'content'>): InvoiceTwin {
  const known = canonical as CanonicalInvoice;
  return { key: duplicateKey(known), ttc: known.amounts.ttc, hash: content.document?.hash ?? null };
}
