import type { CanonicalInvoice, ReferenceKind } from '@app/contracts';
import { compact, formsOf, plain } from './references.ts';

/** A piece of a text that may be a reference, with its forms; `from` and `to` are the words it covers. */
export type Reading = { text: string; forms: readonly string[]; from: number; to: number };

/**
 * A text of an invoice with its readings, longest first. `names`: where it stood, what it should name; `supplier`: a
 * number of the supplier's own, its quote at best; `free`: a text for people, where a bare number is more often a date,
 * a quantity or a telephone than a reference.
 */
export type Mention = { text: string; names: Named; readings: readonly Reading[] };
type Named = 'order' | 'ticket' | 'supplier' | 'other' | 'free';

const namedBy: Partial<Record<ReferenceKind, Named>> = {
  order: 'order',
  sales_order: 'supplier',
  despatch: 'supplier',
};
const mostWords = 4;
const mostFreeWords = 300;
/** In all fields together, and in all texts for people: an invoice of two hundred orders has six hundred. */
const mostPieces = 1_000;
const betweenPieces = /[\s/]+/;
const shortestBareNumber = 5;
const shortestNamed = 4;
const fewestDigits = 3;
const orderInWords =
  /\b(?:BC|BDC|CDE|CMD|COMMANDE|ORDER|PO|TICKET)\b[^A-Z0-9]*(?:N[O°]?[^A-Z0-9]*)?[A-Z]*[-/ ]?\d[\d/-]{2}/;
const dates = /\b\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})\b|\b\d{4}-\d{2}-\d{2}\b/g;

/** What an invoice may name a ticket by, what stood in a field of its own first (spec: domain.md section 6.1). */
export function mentionsOf(invoice: CanonicalInvoice): Mention[] {
  const { poRef, ticketRef, orderRef } = invoice.matchHints;
  const fields: [string | null, Named][] = [
    [poRef, 'order'],
    [ticketRef, 'ticket'],
    ...invoice.references
      .filter(({ kind }) => kind !== 'preceding_invoice')
      .map(({ kind, value }): [string, Named] => [value, namedBy[kind] ?? 'other']),
    [orderRef, 'other'],
  ];
  const named = new Map<string, Named>();
  for (const [text, names] of fields) if (text !== null && !named.has(text)) named.set(text, names);
  const isRead = within(mostPieces, betweenPieces);
  const structured = [...named].flatMap(([text, names]) =>
    partsOf(text)
      .filter(isRead)
      .map((part) => mention(part, names)),
  );
  return [...structured, ...freeMentions(invoice)].filter(({ readings }) => readings.length > 0);
}

function freeMentions({ lines, notes }: CanonicalInvoice): Mention[] {
  return [...new Set([...notes, ...lines.map(({ label }) => label)])]
    .flatMap((text) => partsOf(text.replace(dates, ';')))
    .filter(within(mostFreeWords, /\s+/))
    .filter(within(mostPieces, betweenPieces))
    .filter((part) => /\d/.test(part))
    .map((part) => mention(part, 'free'));
}

/** Tells of one part after the other whether all parts up to it have at most so many words. */
function within(most: number, between: RegExp): (part: string) => boolean {
  let words = 0;
  return (part) => {
    words += part.split(between).length;
    return words <= most;
  };
}

/** Several references in one field are told apart; white space and `/` may stand between two, or within one. */
function partsOf(text: string): string[] {
  return text.split(/[,;|:()[\]\n\r]+|\.\s/).filter((part) => part.trim() !== '');
}

function mention(text: string, names: Named): Mention {
  const words = text.split(betweenPieces).filter((word) => word !== '');
  const isField = names !== 'free';
  const readings: Reading[] = isField && words.length > mostWords ? [reading(text, 0, words.length)] : [];
  for (let length = Math.min(mostWords, words.length); length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const piece = words.slice(from, from + length).join(' ');
      if (isField || mayBeReference(piece)) readings.push(reading(piece, from, from + length));
    }
  }
  return { text: text.trim(), names, readings: readings.filter(({ forms }) => forms.length > 0) };
}

function reading(text: string, from: number, to: number): Reading {
  return { text, forms: formsOf(text), from, to };
}

function mayBeReference(piece: string): boolean {
  if (!/\d/.test(piece)) return false;
  return /[^\d\s.]/.test(piece) || (compact(plain(piece)).length >= shortestBareNumber && !/\s/.test(piece));
}

/** True where what should name an order or a ticket (a field, or words like `commande n°`) holds what looks like it. */
export function looksLikeReference({ names, text, readings }: Mention): boolean {
  if (names === 'free') return orderInWords.test(plain(text));
  return (names === 'order' || names === 'ticket') && readings.some(({ forms }) => forms.some(hasNumber));
}

function hasNumber(form: string): boolean {
  return form.length >= shortestNamed && form.replace(/\D+/g, '').length >= fewestDigits;
}
