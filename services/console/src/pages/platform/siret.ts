type SiretFault = { kind: 'length'; digits: number } | { kind: 'wrong' };

/** La Poste has establishments whose digits add up to a multiple of 5 instead. */
const laPoste = '356000000';

/** What is wrong with a SIRET as far as it was typed; null if nothing is, or nothing was typed. */
export function siretFault(text: string): SiretFault | null {
  const digits = text.replaceAll(/\s/g, '');
  if (digits === '') return null;
  if (!/^\d{14}$/.test(digits)) return { kind: 'length', digits: digits.replaceAll(/\D/g, '').length };
  const sum = [...digits].reduce((total, digit) => total + Number(digit), 0);
  if (digits.startsWith(laPoste) && sum % 5 === 0) return null;
  return luhn(digits) ? null : { kind: 'wrong' };
}

function luhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
