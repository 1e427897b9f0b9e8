import type { CanonicalInvoice, LocationSnapshot } from '@app/contracts';
import { plain } from './references.ts';

const shortestName = 4;
/** Each name of each candidate's locations is looked for in it. */
const longestText = 100_000;

/** What an invoice says of places, as words between single spaces: delivery address, buyer reference, lines. */
export function placesOf({ places, references, lines }: CanonicalInvoice): string {
  const said = references.filter(({ kind }) => kind === 'buyer_reference').map(({ value }) => value);
  return wordsOf([...places, ...said, ...lines.map(({ label }) => label)].join(' ').slice(0, longestText));
}

/** The first of the locations' postal codes, references and names that is written in `places`; none: null. */
export function nameWritten(locations: readonly LocationSnapshot[], places: string): string | null {
  if (places.trim() === '') return null;
  for (const { name, reference, postal_code, facturation_name } of locations) {
    for (const text of [reference, facturation_name, name, postal_code]) {
      if (text === null) continue;
      const words = wordsOf(text);
      if (words.length >= shortestName + 2 && places.includes(words)) return text;
    }
  }
  return null;
}

function wordsOf(text: string): string {
  return ` ${plain(text)
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()} `;
}
