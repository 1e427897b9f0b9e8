import type { CanonicalInvoice } from '@app/contracts';
import type { Held, HeldKind } from './held.ts';
import type { Candidate } from './matching.ts';
import { type Mention, mentionsOf } from './mentions.ts';
import { plain } from './references.ts';

/**
 * How a supplier writes references, as links by hand have shown: where an invoice `names` it, after these letters, it puts the
 * last digits of the client's own reference of that kind (`JOB4521` for the ticket `2026-004521`).
 */
export type Habit = { names: Mention['names']; prefix: string; kind: HeldKind };

const mostOfOne = 5;
/** Shown so often, by as many invoices, it is a habit and no chance. */
export const habitShownBy = 3;

/** What a link to this ticket shows of its supplier's habits, where nothing on the invoice names it in full. */
export function habitsOf(invoice: CanonicalInvoice, { held }: Pick<Candidate, 'held'>): Habit[] {
  const known = new Set(held.flatMap(({ forms }) => forms));
  const unread = mentionsOf(invoice).filter(
    ({ readings }) => !readings.some(({ forms }) => forms.some((form) => known.has(form))),
  );
  const shown = unread.flatMap((mention) =>
    mention.readings.flatMap(({ text }) => {
      const written = writtenIn(mention, text);
      if (written === null) return [];
      const { names } = mention;
      return held
        .filter((one) => lastDigitsOf(one) === written.digits)
        .map(({ kind }): Habit => ({ names, prefix: written.prefix, kind }));
    }),
  );
  return [...new Map(shown.map((habit) => [keyOf(habit), habit])).values()].slice(0, mostOfOne);
}

/** The digits that a text stands for by one of these habits, with what kind of reference ends with them. */
export function readByHabit(
  habits: readonly Habit[],
  mention: Mention,
  text: string,
): { kind: HeldKind; digits: string }[] {
  const written = writtenIn(mention, text);
  if (written === null) return [];
  return habits
    .filter(({ names, prefix }) => names === mention.names && prefix === written.prefix)
    .map(({ kind }) => ({ kind, digits: written.digits }));
}

/** The run of digits that a reference ends with, without leading zeros as long as three are left; null: it has none, or is an id. */
export function lastDigitsOf({ kind, text }: Held): string | null {
  if (kind === 'id' || kind === 'contract') return null;
  const run = /(?<!\d)(\d{3,})(?!\d)[^A-Z0-9]*$/.exec(plain(text))?.[1];
  return run === undefined ? null : withoutZeros(run);
}

/** Letters, then digits, and nothing else. In a text for people a bare number says nothing. */
function writtenIn({ names }: Mention, text: string): { prefix: string; digits: string } | null {
  const [, prefix = '', digits] = /^([A-Z]*)[^A-Z0-9]*(\d{3,})$/.exec(plain(text).trim()) ?? [];
  return digits === undefined || (names === 'free' && prefix === '') ? null : { prefix, digits: withoutZeros(digits) };
}

/** As long as three digits are left. */
function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d{3})/, '');
}

export function keyOf({ names, prefix, kind }: Habit): string {
  return `${names}:${kind}:${prefix}`;
}
