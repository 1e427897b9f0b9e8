import type { CanonicalInvoice, LocationSnapshot } from '@app/contracts';
import { plain } from './references.ts';

const minNameLength = 4;
/** Longer names are compared with those of the ticket's own locations alone. */
const maxNameWords = 6;
const maxWords = 300;
/** Bounds the search, which looks for each name of each candidate's locations. */
const maxTextLength = 100_000;
/** A French postal code before the name of its town; a number alone may be the id of a place. */
const postalCode = /(?<![\w-])\d{5}(?=[\s,]+\p{L})/gu;

/** What an invoice says of where its work was done. `named`: the client's locations that it names (found by `placeKeys`). */
type InvoicePlaces = { text: string; postalCodes: readonly string[]; named: readonly LocationSnapshot[] };

export function invoicePlaces(invoice: CanonicalInvoice, named: readonly LocationSnapshot[]): InvoicePlaces {
  const postalCodes = invoice.places.flatMap((place) => place.match(postalCode) ?? []);
  return { text: locationText(invoice), postalCodes, named };
}

/** What a location is found by in the text of an invoice: its reference and names. */
export function locationKeys(location: LocationSnapshot): string[] {
  return [...new Set(namesOf(location).flatMap((name) => keyOf(name) ?? []))];
}

/** The `locationKeys` of all locations that the invoice may name. */
export function placeKeys(invoice: CanonicalInvoice): string[] {
  const words = locationText(invoice).trim().split(' ').slice(0, maxWords);
  const spans = words.flatMap((_word, from) =>
    Array.from({ length: maxNameWords }, (_, more) => words.slice(from, from + more + 1).join(' ')),
  );
  return [...new Set(spans.flatMap((span) => keyOf(span) ?? []))];
}

/** The first reference, name or postal code of the locations that the invoice has; none: null. */
export function findLocation(
  locations: readonly LocationSnapshot[],
  { text }: Pick<InvoicePlaces, 'text'>,
): string | null {
  return (
    locations.flatMap((one) => [...namesOf(one), one.postal_code]).find((name) => name !== null && holds(text, name)) ??
    null
  );
}

/**
 * The place that the invoice names instead of a ticket's locations: another location of the client, or a postal code in
 * its delivery address that none of them has. Null if it names one of them, or no place at all.
 */
export function findOtherPlace(locations: readonly LocationSnapshot[], places: InvoicePlaces): string | null {
  if (locations.length === 0 || findLocation(locations, places) !== null) return null;
  const own = wordsOf(locations.flatMap(namesOf).join(' '));
  // A location `Paris` does not contradict the ticket's `Paris La Villette`.
  const named = places.named
    .filter(({ id }) => !locations.some((one) => one.id === id))
    .flatMap(namesOf)
    .find((name) => name !== null && holds(places.text, name) && !own.includes(wordsOf(name)));
  if (named) return named;
  const isKnown = locations.every(({ postal_code }) => /^\d{5}$/.test(postal_code ?? ''));
  return isKnown ? (places.postalCodes[0] ?? null) : null;
}

/** Delivery addresses, buyer reference and lines, as words between single spaces. */
function locationText({ places, references, lines }: CanonicalInvoice): string {
  const buyerReferences = references.filter(({ kind }) => kind === 'buyer_reference').map(({ value }) => value);
  return wordsOf([...places, ...buyerReferences, ...lines.map(({ label }) => label)].join(' ').slice(0, maxTextLength));
}

function namesOf({ reference, facturation_name, name }: LocationSnapshot): (string | null)[] {
  return [reference, facturation_name, name];
}

function keyOf(name: string | null): string | null {
  const key = wordsOf(name ?? '').trim();
  return key.length >= minNameLength && key.split(' ').length <= maxNameWords ? key : null;
}

function holds(text: string, name: string): boolean {
  const words = wordsOf(name);
  return words.length >= minNameLength + 2 && text.includes(words);
}

function wordsOf(text: string): string {
  return ` ${plain(text)
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()} `;
}
