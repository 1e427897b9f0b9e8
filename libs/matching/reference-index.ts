import { type Habit, lastDigitsOf, readByHabit } from './habits.ts';
import type { Held, HeldForms, HeldKind } from './held.ts';
import type { Candidate } from './matching.ts';
import type { Mention, Reading } from './mentions.ts';
import { hasAnotherDigit, isNear, isTelling, mayBeNear } from './references.ts';

/**
 * A reference of a ticket with which a text of the invoice agrees, as it is written there. `near`: but for one typing
 * error, or as the supplier writes it (`learned`); `other`: that error is one digit for another, so it may as well be another number;
 * `shared`: a number, or a contract, that several of the candidates have.
 */
export type Hit = {
  held: Held;
  mention: Mention;
  written: string;
  near: boolean;
  learned: boolean;
  other: boolean;
  shared: boolean;
};

type Entry = { at: number; held: HeldForms };
/** `isPossible`: whether the invoice may be of the candidate at this place; the others only say what a text names instead. */
type Reader = { supplierKnown: boolean; habits: readonly Habit[]; isPossible: (at: number) => boolean };
type Find = { written: string; other: boolean; learned: boolean; entries: readonly Entry[] };

/** From so many digits on two numbers are not the same by chance. */
const noCoincidence = 8;
/**
 * The hits of each candidate, in their order. A text is read by its longest piece that agrees with anything, and that
 * piece by its fullest form: `BC-2026-0042` is the order of that name and not the ticket 2026-0042. Where nothing
 * agrees, it is read as the supplier is used to write, and else what is one typing error away is near. `supplierKnown`: forms of
 * 3 digits count too.
 */
export function hitsOf(
  candidates: readonly Candidate[],
  mentions: readonly Mention[],
  { supplierKnown, habits, isPossible }: Reader,
): Hit[][] {
  const hits: Hit[][] = candidates.map(() => []);
  const index = indexOf(candidates, supplierKnown);
  const ends = habits.length > 0 ? endsOf(candidates) : new Map<string, Entry[]>();
  for (const mention of mentions) {
    const exact = exactFinds(mention, index);
    const finds = exact.length > 0 ? exact : inexactFinds(mention, { index, ends, habits });
    for (const { written, other, learned, entries } of finds) {
      const shared = sharedKinds(entries.filter(({ at }) => isPossible(at)));
      for (const { at, held } of entries) {
        const near = exact.length === 0;
        hits[at]?.push({ held, mention, written, near, learned, other, shared: shared.has(held.kind) });
      }
    }
  }
  return hits;
}

function indexOf(candidates: readonly Candidate[], supplierKnown: boolean): Map<string, Entry[]> {
  const index = new Map<string, Entry[]>();
  candidates.forEach((candidate, at) => {
    for (const held of candidate.held) {
      for (const form of held.forms) {
        if (!supplierKnown && !isTelling(form)) continue;
        const entries = index.get(form);
        if (entries) entries.push({ at, held });
        else index.set(form, [{ at, held }]);
      }
    }
  });
  return index;
}

function exactFinds({ readings, names }: Mention, index: Map<string, Entry[]>): Find[] {
  const taken: Reading[] = [];
  const finds: Find[] = [];
  const entriesOf = (form: string) => (index.get(form) ?? []).filter(({ held }) => mayName(names, held, form));
  for (const reading of readings) {
    if (taken.some(({ from, to }) => reading.from < to && from < reading.to)) continue;
    const form = reading.forms.find((one) => index.has(one) && entriesOf(one).length > 0);
    if (form === undefined) continue;
    taken.push(reading);
    finds.push({ written: reading.text, other: false, learned: false, entries: entriesOf(form) });
  }
  return finds;
}

type Indexes = { index: Map<string, Entry[]>; ends: Map<string, Entry[]>; habits: readonly Habit[] };

function inexactFinds(mention: Mention, { index, ends, habits }: Indexes): Find[] {
  const learned = mention.readings.flatMap(({ text }) =>
    readByHabit(habits, mention, text).flatMap(({ kind, digits }): Find[] => {
      const entries = ends.get(endOf(kind, digits)) ?? [];
      return entries.length > 0 ? [{ written: text, other: false, learned: true, entries }] : [];
    }),
  );
  return learned.length > 0 ? learned : nearFinds(mention.readings, index);
}

/** References by the digits that they end with. */
function endsOf(candidates: readonly Candidate[]): Map<string, Entry[]> {
  const ends = new Map<string, Entry[]>();
  candidates.forEach((candidate, at) => {
    for (const held of candidate.held) {
      const digits = lastDigitsOf(held);
      if (digits === null) continue;
      const key = endOf(held.kind, digits);
      ends.set(key, [...(ends.get(key) ?? []), { at, held }]);
    }
  });
  return ends;
}

function endOf(kind: HeldKind, digits: string): string {
  return `${kind}:${digits}`;
}

function nearFinds(readings: readonly Reading[], index: Map<string, Entry[]>): Find[] {
  const writtenAs = new Map(readings.flatMap(({ forms, text }) => forms.filter(mayBeNear).map((form) => [form, text])));
  if (writtenAs.size === 0) return [];
  const finds: Find[] = [];
  for (const [held, entries] of index) {
    for (const [form, written] of writtenAs) {
      if (!isNear(form, held)) continue;
      finds.push({ written, other: hasAnotherDigit(form, held), learned: false, entries });
      break;
    }
  }
  return finds;
}

/** A number of the supplier's own is no order of the client, unless it is more than a few digits that look alike. */
function mayName(names: Mention['names'], { kind }: Held, form: string): boolean {
  const isTheirs = kind === 'quote' || kind === 'receipt' || kind === 'id';
  return names !== 'supplier' || isTheirs || form.length >= noCoincidence || /[A-Z]/.test(form);
}

/** The kinds of reference, such as a number or the name of a contract, that several of the tickets have. */
function sharedKinds(entries: readonly Entry[]): Set<HeldKind> {
  const ticketOf = new Map<HeldKind, number>();
  const shared = new Set<HeldKind>();
  for (const { at, held } of entries) {
    if ((ticketOf.get(held.kind) ?? at) !== at) shared.add(held.kind);
    ticketOf.set(held.kind, at);
  }
  return shared;
}
