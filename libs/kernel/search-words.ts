/** Limit of one document: longer titles are found by their first words. */
const maxWords = 60;
const maxWordLength = 40;
const maxPartsOfWord = 6;
const maxSearched = 6;
/** A SIRET begins with its SIREN. */
const sirenLength = 9;

/**
 * The words by which texts are found, each by its beginning: upper case, without accents. `FA-2026-0815` is found as
 * `FA20260815`, `20260815`, `0815` and, without leading zeros, `815`.
 */
export function searchWords(...texts: (string | null | undefined)[]): string[] {
  const words = texts.flatMap((text) => (text ?? '').split(/\s+/)).flatMap(formsOf);
  return [...new Set(words)].slice(0, maxWords);
}

/** The words of a search, the longest first: all must be found. A company number may have spaces. */
export function wordsSearched(text: string): string[] {
  const whole = text.replace(/\s/g, '');
  const parts = /^\d{9}(?:\d{5})?$/.test(whole) ? [whole.slice(0, sirenLength)] : text.split(/\s+/);
  const words = parts.map((part) => joined(partsOf(part).slice(0, maxPartsOfWord))).filter((word) => word !== '');
  return [...new Set(words)].sort((one, other) => other.length - one.length).slice(0, maxSearched);
}

function formsOf(text: string): string[] {
  const parts = partsOf(text).slice(0, maxPartsOfWord);
  const words = parts.map((_part, from) => joined(parts.slice(from)));
  return words.flatMap((word) => [word, word.replace(/^(\p{L}*)0+(?=\d)/u, '$1')]);
}

function joined(parts: string[]): string {
  return parts.join('').slice(0, maxWordLength);
}

/** Limit of an index key. */
const maxOrderLength = 60;

/** A name as lists sort by it, without case and accents; null if there is none. */
export function nameOrder(name: string | undefined): string | null {
  return (
    plain(name ?? '')
      .trim()
      .slice(0, maxOrderLength) || null
  );
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase();
}

function partsOf(text: string): string[] {
  return plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
}

/** The text with one kind of dash and of space: what is pasted from a letter or a web page often has others. */
export function withPlainDashes(text: string): string {
  return text
    .replace(/[\p{Pd}\u2043\u2212]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Matches the words that begin so, as a range of an index: no text of a caller becomes an expression. */
export function beginningWith(word: string): { $elemMatch: { $gte: string; $lt: string } } {
  // `$elemMatch`, since one word must meet both bounds.
  return { $elemMatch: { $gte: word, $lt: `${word}\u{ffff}` } };
}

/** Whether each of the words begins one of `words`. */
export function hasAll(words: readonly string[], searched: readonly string[]): boolean {
  return searched.every((one) => words.some((word) => word.startsWith(one)));
}
