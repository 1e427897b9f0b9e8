/** An IBAN without spaces, in capitals; null if its form or its check digits are wrong (ISO 13616, mod 97). */
export function readIban(text: string): string | null {
  const iban = text.replace(/[\s\u00a0\u202f.-]/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return null;
  if (/^(FR|MC)/.test(iban) && iban.length !== 27) return null;
  const rearranged = iban.slice(4) + iban.slice(0, 4);
  const remainder = [...rearranged].reduce((rest, character) => {
    const value = Number.parseInt(character, 36);
    return (rest * (value > 9 ? 100 : 10) + value) % 97;
  }, 0);
  return remainder === 1 ? iban : null;
}
