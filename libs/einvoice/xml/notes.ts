/** Subject codes (UNTDID 4451) of what the law wants on each invoice, of recovery fees, penalties and discounts: nothing about the work. */
const legalCodes = ['PMT', 'PMD', 'AAB'];

export function isLegalNote(code: string | null): boolean {
  return code !== null && legalCodes.includes(code);
}

/** The texts of a UBL note without legal ones. The code stands before the text, and there may be several of both: `#PMT#40 €#AAI#Merci`. */
export function spokenTexts(note: string): string[] {
  const [head = '', ...coded] = note.split(/#([A-Z]{3})#/);
  const texts = coded.flatMap((text, index) =>
    index % 2 === 1 && !isLegalNote(coded[index - 1] ?? null) ? [text] : [],
  );
  return [head, ...texts].filter((text) => text.trim() !== '');
}
