import type { CanonicalInvoice, LocationSnapshot } from '@app/contracts';
import { plain } from './references.ts';

const minNameLength = 4;
/** Bounds the search, which looks for each name of each candidate's locations. */
const maxTextLength = 100_000;

/** The texts of an invoice that may name a location (delivery addresses, buyer reference, lines), as words between single spaces. */
export function locationText({ places, references, lines }: CanonicalInvoice): string {
  const buyerReferences = references.filter(({ kind }) => kind === 'buyer_reference').map(({ value }) => value);
  return wordsOf([...places, ...buyerReferences, ...lines.map(({ label }) => label)].join(' ').slice(0, maxTextLength));
}

/** The first reference, name or postal code of the locations that stands in `text` (from `locationText`); none: null. */
export function findLocation(locations: readonly LocationSnapshot[], text: string): string | null {
  if (text.trim() === '') return null;
  for (const { name, reference, postal_code, facturation_name } of locations) {
    for (const candidate of [reference, facturation_name, name, postal_code]) {
      if (candidate === null) continue;
      const words = wordsOf(candidate);
      if (words.length >= minNameLength + 2 && text.includes(words)) return candidate;
    }
  }
  return null;
}

function wordsOf(text: string): string {
  return ` ${plain(text)
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()} `;
}
