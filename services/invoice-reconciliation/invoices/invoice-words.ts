import { searchWords } from '@app/kernel';
import type { Invoice } from './invoice.ts';

/** Words of lines: each is a key of an index, and the first lines say what an invoice is about. */
const maxLineWords = 24;
const shortestLineWord = 3;

type Read = Pick<Invoice, 'canonical'>;

/**
 * The search words of an invoice: of its number, SIREN and name of its supplier, references, lines, and its amounts as digits
 * (`26125` is 261.25).
 */
export function wordsOf({ canonical }: Read): string[] {
  if (canonical === null) return [];
  const { number, supplier, amounts, matchHints, references, lines } = canonical;
  const { poRef, ticketRef, orderRef } = matchHints;
  const named = searchWords(number, supplier.siren, supplier.name);
  const digits = [amounts.ttc, amounts.ht].map((amount) => Math.abs(amount).toFixed(2).replace('.', ''));
  const referred = searchWords(poRef, ticketRef, orderRef, ...references.map(({ value }) => value));
  const ofLines = searchWords(...lines.map(({ label }) => label)).filter((word) => word.length >= shortestLineWord);
  return [...new Set([...named, ...digits, ...referred, ...ofLines.slice(0, maxLineWords)])];
}
