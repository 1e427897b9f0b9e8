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

const ibanStart = /^[A-Z]{2}\d{2}/;
const bic = /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/;

/**
 * The bank accounts in fields for an account, as a sorted set: every IBAN, and as written each field that holds something else
 * with digits (a national account, a wrong check digit). Labels, BICs and words are no accounts.
 */
export function readAccounts(fields: readonly string[]): string[] {
  return [...new Set(fields.flatMap(accountsIn))].sort();
}

function accountsIn(field: string): string[] {
  const whole = readIban(field);
  if (whole !== null) return [whole];
  const written = field.replace(/\s+/g, ' ').trim().toUpperCase();
  const words = written
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.replace(/^IBAN(?=[A-Z]{2}\d{2})/, ''))
    .filter((word) => !['', 'IBAN', 'BIC', 'SWIFT'].includes(word) && !bic.test(word));
  const starts = words.flatMap((word, index) => (ibanStart.test(word) ? [index] : []));
  const ibans = starts.map((start, index) => readIban(words.slice(start, starts[index + 1]).join('')));
  const rest = words.slice(0, starts[0]);
  const isReadWhole = !ibans.includes(null) && !rest.some((word) => /\p{N}/u.test(word));
  const read = ibans.filter((iban) => iban !== null);
  return isReadWhole ? read : [...read, written];
}
