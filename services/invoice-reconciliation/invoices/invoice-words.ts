import { searchWords } from '@app/kernel';
import type { Invoice } from './invoice.ts';

/** The search words of an invoice: number, SIREN and name of its supplier. */
export function wordsOf({ canonical }: Pick<Invoice, 'canonical'>): string[] {
  return canonical === null ? [] : searchWords(canonical.number, canonical.supplier.siren, canonical.supplier.name);
}
