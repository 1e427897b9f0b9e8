import type { Candidate } from '../matching.ts';
import type { IndexedReference, KnownReference, KnownReferenceKind } from './known-references.ts';
import type { MentionField, ReferenceMention, Span } from './reference-mentions.ts';
import { allowsFuzzyMatch, differsInDigit, isOneEditApart, isSpecific } from './references.ts';
import { type ReferencePattern, readByPattern, trailingDigits } from './supplier-reference-patterns.ts';

/**
 * A text of the invoice (`written`) that agrees with a reference of a ticket. `fuzzy`: not exactly, but with one typing
 * error, or as this supplier writes references (`learned`). `digitDiffers`: the typing error is in a digit, so it may well
 * be another number. `shared`: several candidates have that reference.
 */
export type ReferenceHit = {
  reference: KnownReference;
  mention: ReferenceMention;
  written: string;
  fuzzy: boolean;
  learned: boolean;
  digitDiffers: boolean;
  shared: boolean;
};

/** A reference of the candidate at place `at`. */
type Entry = { at: number; reference: IndexedReference };
type Index = Map<string, Entry[]>;

type FindOptions = {
  /** If false, forms of 3 digits do not count. */
  supplierKnown: boolean;
  patterns: readonly ReferencePattern[];
  /** Whether the candidate at this place may have the invoice; the others only explain what a text names instead. */
  isPossible: (at: number) => boolean;
};
type FoundReference = { written: string; digitDiffers: boolean; learned: boolean; entries: readonly Entry[] };

/** Two numbers with this many digits are not equal by coincidence. */
const minUniqueDigits = 8;

/**
 * Finds the hits of each candidate, in the order of the candidates. A mention is read by its longest span that agrees with
 * any reference, and that span by its fullest form: `BC-2026-0042` is the order of that name, not the ticket 2026-0042. What
 * agrees with no reference may be an order with an item or revision. If nothing agrees exactly, the supplier's patterns are tried, then forms with one typing error.
 */
export function findHits(
  candidates: readonly Candidate[],
  mentions: readonly ReferenceMention[],
  { supplierKnown, patterns, isPossible }: FindOptions,
): ReferenceHit[][] {
  const hits: ReferenceHit[][] = candidates.map(() => []);
  const index = indexByForm(candidates, supplierKnown);
  const byTrailingDigits: Index = patterns.length > 0 ? indexByTrailingDigits(candidates) : new Map();
  for (const mention of mentions) {
    const exact = findExact(mention, index);
    const fuzzy = exact.length === 0;
    const found = fuzzy ? findInexact(mention, { index, byTrailingDigits, patterns }) : exact;
    for (const { entries, ...match } of found) {
      const shared = sharedKinds(entries.filter(({ at }) => isPossible(at)));
      for (const { at, reference } of entries) {
        hits[at]?.push({ ...match, reference, mention, fuzzy, shared: shared.has(reference.kind) });
      }
    }
  }
  return hits;
}

function indexByForm(candidates: readonly Candidate[], supplierKnown: boolean): Index {
  const index: Index = new Map();
  candidates.forEach(({ references }, at) => {
    for (const reference of references) {
      for (const form of reference.forms) {
        if (supplierKnown || isSpecific(form)) append(index, form, { at, reference });
      }
    }
  });
  return index;
}

function indexByTrailingDigits(candidates: readonly Candidate[]): Index {
  const index: Index = new Map();
  candidates.forEach(({ references }, at) => {
    for (const reference of references) {
      const digits = trailingDigits(reference);
      if (digits !== null) append(index, trailingKey(reference.kind, digits), { at, reference });
    }
  });
  return index;
}

function trailingKey(kind: KnownReferenceKind, digits: string): string {
  return `${kind}:${digits}`;
}

function append(index: Index, key: string, entry: Entry): void {
  const entries = index.get(key);
  if (entries) entries.push(entry);
  else index.set(key, [entry]);
}

function findExact({ spans, field }: ReferenceMention, index: Index): FoundReference[] {
  const taken: Span[] = [];
  const found: FoundReference[] = [];
  const entriesOf = (form: string) =>
    (index.get(form) ?? []).filter(({ reference }) => mayName(field, reference, form));
  const ordersOf = (form: string) => entriesOf(form).filter(({ reference }) => reference.kind === 'order');
  const take = (span: Span, forms: readonly string[], entries: (form: string) => Entry[]) => {
    if (taken.some(({ from, to }) => span.from < to && from < span.to)) return;
    const form = forms.find((one) => index.has(one) && entries(one).length > 0);
    if (form === undefined) return;
    taken.push(span);
    found.push({ written: span.text, digitDiffers: false, learned: false, entries: entries(form) });
  };
  for (const span of spans) take(span, span.forms, entriesOf);
  for (const span of spans) take(span, span.orderForms, ordersOf);
  return found;
}

type Indexes = { index: Index; byTrailingDigits: Index; patterns: readonly ReferencePattern[] };

function findInexact(mention: ReferenceMention, { index, byTrailingDigits, patterns }: Indexes): FoundReference[] {
  const learned = mention.spans.flatMap(({ text }) =>
    readByPattern(patterns, mention, text).flatMap(({ kind, digits }): FoundReference[] => {
      const entries = byTrailingDigits.get(trailingKey(kind, digits)) ?? [];
      return entries.length > 0 ? [{ written: text, digitDiffers: false, learned: true, entries }] : [];
    }),
  );
  return learned.length > 0 ? learned : findFuzzy(mention.spans, index);
}

function findFuzzy(spans: readonly Span[], index: Index): FoundReference[] {
  const writtenAs = new Map(
    spans.flatMap(({ forms, text }) => forms.filter(allowsFuzzyMatch).map((form) => [form, text])),
  );
  if (writtenAs.size === 0) return [];
  const found: FoundReference[] = [];
  for (const [known, entries] of index) {
    for (const [form, written] of writtenAs) {
      if (!isOneEditApart(form, known)) continue;
      found.push({ written, digitDiffers: differsInDigit(form, known), learned: false, entries });
      break;
    }
  }
  return found;
}

/** A number of the supplier's own names no order or ticket of the client, unless it is too long to agree by coincidence. */
function mayName(field: MentionField, { kind }: KnownReference, form: string): boolean {
  const mayBeSuppliers = kind === 'quote' || kind === 'receipt' || kind === 'id';
  return field !== 'supplier' || mayBeSuppliers || form.length >= minUniqueDigits || /[A-Z]/.test(form);
}

/** The kinds of reference (a number, a contract's name) that several tickets have. */
function sharedKinds(entries: readonly Entry[]): Set<KnownReferenceKind> {
  const ticketOf = new Map<KnownReferenceKind, number>();
  const shared = new Set<KnownReferenceKind>();
  for (const { at, reference } of entries) {
    if ((ticketOf.get(reference.kind) ?? at) !== at) shared.add(reference.kind);
    ticketOf.set(reference.kind, at);
  }
  return shared;
}
