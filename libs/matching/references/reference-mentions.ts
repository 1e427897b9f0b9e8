import type { CanonicalInvoice, ReferenceKind } from '@app/contracts';
import { compact, formsOf, formsWithoutItem, plain } from './references.ts';

/**
 * Part of a mention that may be a reference, with its normalized forms; it covers the words `from` to `to` (exclusive).
 * `orderForms`: those of the order if the rest is an item of it, or its revision.
 */
export type Span = {
  text: string;
  forms: readonly string[];
  orderForms: readonly string[];
  from: number;
  to: number;
};

/**
 * What a mention's place on the invoice says about it. `supplier`: a number of the supplier's own, at best its quote.
 * `free`: prose, in which a bare number is more often a date, a quantity or a telephone number than a reference.
 */
export type MentionField = 'order' | 'ticket' | 'supplier' | 'other' | 'free';

/** A text of an invoice that may name a ticket, with its spans, longest first. */
export type ReferenceMention = { text: string; field: MentionField; spans: readonly Span[] };

const fieldByKind: Partial<Record<ReferenceKind, MentionField>> = {
  order: 'order',
  sales_order: 'supplier',
  despatch: 'supplier',
};
const maxSpanWords = 4;
const maxFreeWords = 300;
/** For all reference fields, and again for all prose: an invoice of two hundred orders has six hundred words of references. */
const maxWords = 1_000;
const wordSeparators = /[\s/]+/;
const minBareNumberLength = 5;
const minFormLength = 4;
const minDigits = 3;
const orderInProse =
  /\b(?:BC|BDC|CDE|CMD|COMMANDE|ORDER|PO|TICKET)\b[^A-Z0-9]*(?:N[O°]?[^A-Z0-9]*)?[A-Z]*[-/ ]?\d[\d/-]{2}/;
const dates = /\b\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})\b|\b\d{4}-\d{2}-\d{2}\b/g;

/** Every text of the invoice that may name a ticket, reference fields before prose. */
export function referenceMentions(invoice: CanonicalInvoice): ReferenceMention[] {
  const { poRef, ticketRef, orderRef } = invoice.matchHints;
  const fields: [string | null, MentionField][] = [
    [poRef, 'order'],
    [ticketRef, 'ticket'],
    ...invoice.references
      .filter(({ kind }) => kind !== 'preceding_invoice')
      .map(({ kind, value }): [string, MentionField] => [value, fieldByKind[kind] ?? 'other']),
    [orderRef, 'other'],
  ];
  const fieldOf = new Map<string, MentionField>();
  for (const [text, field] of fields) if (text !== null && !fieldOf.has(text)) fieldOf.set(text, field);
  const fits = wordLimit(maxWords, wordSeparators);
  const structured = [...fieldOf].flatMap(([text, field]) =>
    partsOf(text)
      .filter(fits)
      .map((part) => toMention(part, field)),
  );
  return [...structured, ...proseMentions(invoice)].filter(({ spans }) => spans.length > 0);
}

function proseMentions({ lines, notes }: CanonicalInvoice): ReferenceMention[] {
  return [...new Set([...notes, ...lines.map(({ label }) => label)])]
    .flatMap((text) => partsOf(text.replace(dates, ';')))
    .filter(wordLimit(maxFreeWords, /\s+/))
    .filter(wordLimit(maxWords, wordSeparators))
    .filter((part) => /\d/.test(part))
    .map((part) => toMention(part, 'free'));
}

/** A filter that lets texts pass until they have more than `max` words in all. */
function wordLimit(max: number, separator: RegExp): (text: string) => boolean {
  let words = 0;
  return (text) => {
    words += text.split(separator).length;
    return words <= max;
  };
}

/** Splits a field that holds several references. White space and `/` do not split: they may be part of one reference. */
function partsOf(text: string): string[] {
  return text.split(/[,;|:()[\]\n\r]+|\.\s/).filter((part) => part.trim() !== '');
}

function toMention(text: string, field: MentionField): ReferenceMention {
  const words = text.split(wordSeparators).filter((word) => word !== '');
  const isProse = field === 'free';
  const spans: Span[] = !isProse && words.length > maxSpanWords ? [toSpan(text, 0, words.length)] : [];
  for (let length = Math.min(maxSpanWords, words.length); length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const piece = words.slice(from, from + length).join(' ');
      if (!isProse || mayBeReference(piece)) spans.push(toSpan(piece, from, from + length));
    }
  }
  return { text: text.trim(), field, spans: spans.filter(({ forms }) => forms.length > 0) };
}

function toSpan(text: string, from: number, to: number): Span {
  return { text, forms: formsOf(text), orderForms: formsWithoutItem(text), from, to };
}

function mayBeReference(piece: string): boolean {
  if (!/\d/.test(piece)) return false;
  return /[^\d\s.]/.test(piece) || (compact(plain(piece)).length >= minBareNumberLength && !/\s/.test(piece));
}

/** True if the mention names an order or a ticket: by its field, or in prose by words such as `commande n°`. */
export function looksLikeReference({ field, text, spans }: ReferenceMention): boolean {
  if (field === 'free') return orderInProse.test(plain(text));
  return (field === 'order' || field === 'ticket') && spans.some(({ forms }) => forms.some(hasNumber));
}

function hasNumber(form: string): boolean {
  return form.length >= minFormLength && form.replace(/\D+/g, '').length >= minDigits;
}
