import type { CanonicalInvoice } from '@app/contracts';
import type { IndexedReference, KnownReference, KnownReferenceKind } from './known-references.ts';
import { type MentionField, type ReferenceMention, referenceMentions } from './reference-mentions.ts';
import { plain } from './references.ts';

/**
 * How a supplier writes references, learned from invoices that people linked: in this `field`, after the letters `prefix`,
 * it writes the last digits of a reference of this `kind` (`JOB4521` for the ticket `2026-004521`).
 */
export type ReferencePattern = { field: MentionField; prefix: string; kind: KnownReferenceKind };

const maxPatternsPerInvoice = 5;
/** A pattern counts once this many invoices have shown it; fewer may be coincidence. */
export const minPatternInvoices = 3;

/** The patterns that a link of this invoice to a ticket with these references shows. Mentions that name the ticket in full show none. */
export function observedPatterns(
  invoice: CanonicalInvoice,
  { references }: { references: readonly IndexedReference[] },
): ReferencePattern[] {
  const known = new Set(references.flatMap(({ forms }) => forms));
  const unresolved = referenceMentions(invoice).filter(
    ({ spans }) => !spans.some(({ forms }) => forms.some((form) => known.has(form))),
  );
  const patterns = unresolved.flatMap((mention) =>
    mention.spans.flatMap(({ text }) => {
      const number = splitNumber(mention, text);
      if (number === null) return [];
      const { field } = mention;
      return references
        .filter((reference) => trailingDigits(reference) === number.digits)
        .map(({ kind }): ReferencePattern => ({ field, prefix: number.prefix, kind }));
    }),
  );
  return [...new Map(patterns.map((pattern) => [patternKey(pattern), pattern])).values()].slice(
    0,
    maxPatternsPerInvoice,
  );
}

/** The digits that a text stands for by these patterns, with the kind of reference that ends with them. */
export function readByPattern(
  patterns: readonly ReferencePattern[],
  mention: ReferenceMention,
  text: string,
): { kind: KnownReferenceKind; digits: string }[] {
  const number = splitNumber(mention, text);
  if (number === null) return [];
  return patterns
    .filter(({ field, prefix }) => field === mention.field && prefix === number.prefix)
    .map(({ kind }) => ({ kind, digits: number.digits }));
}

/** The digits at the end of a reference, without leading zeros as long as three digits are left; null for ids and contracts. */
export function trailingDigits({ kind, text }: KnownReference): string | null {
  if (kind === 'id' || kind === 'contract') return null;
  const run = /(?<!\d)(\d{3,})(?!\d)[^A-Z0-9]*$/.exec(plain(text))?.[1];
  return run === undefined ? null : withoutZeros(run);
}

/** Splits letters followed by digits; null for anything else, and for a bare number in prose. */
function splitNumber({ field }: ReferenceMention, text: string): { prefix: string; digits: string } | null {
  const [, prefix = '', digits] = /^([A-Z]*)[^A-Z0-9]*(\d{3,})$/.exec(plain(text).trim()) ?? [];
  return digits === undefined || (field === 'free' && prefix === '') ? null : { prefix, digits: withoutZeros(digits) };
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d{3})/, '');
}

/** The pattern as one text, the same for equal patterns. */
export function patternKey({ field, prefix, kind }: ReferencePattern): string {
  return `${field}:${kind}:${prefix}`;
}
