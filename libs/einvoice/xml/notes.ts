/**
 * Subject codes (UNTDID 4451) of what the law wants on an invoice: recovery fees, penalties, discounts, the supplier's registration, the
 * kind of invoice (`BAR`) and of taxpayer (`TXD`). Nothing of it is about the work.
 */
const legalCodes = ['PMT', 'PMD', 'AAB', 'REG', 'ABL', 'BAR', 'TXD'];

export function isLegalNote(code: string | null): boolean {
  return code !== null && legalCodes.includes(code);
}

/**
 * The texts of a UBL note without legal ones. The code stands before the text, there may be several of both, and an empty code for none:
 * `#PMT#40 €#AAI#Merci##À bientôt`.
 */
export function spokenTexts(note: string): string[] {
  const [head = '', ...coded] = note.split(/#([A-Z]{3}|)#/);
  const texts = coded.flatMap((text, index) =>
    index % 2 === 1 && !isLegalNote(coded[index - 1] ?? null) ? [text] : [],
  );
  return [head, ...texts].filter((text) => text.trim() !== '');
}
