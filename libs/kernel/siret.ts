import { AppError } from './errors.ts';

/** A French establishment: SIRET (14 digits) and the SIREN of its company (the first 9). */
export type CompanyNumber = { siret: string; siren: string };

const laPosteSiren = '356000000';

/**
 * Reads a SIRET as people write it (spaces of every kind, dots and dashes allowed).
 * Both the 9 and the 14 digits carry a Luhn key; establishments of La Poste may instead have a digit sum that is a
 * multiple of 5 (INSEE; domain.md section 3).
 * @throws AppError invalid `siret_invalid`
 */
export function parseSiret(text: string): CompanyNumber {
  const siret = text.replace(/[\s\u00a0\u202f.-]/g, '');
  if (!/^\d{14}$/.test(siret)) throw invalid(`a SIRET has 14 digits, got ${siret.length} characters`);
  const siren = siret.slice(0, 9);
  if (!passesLuhn(siren)) throw invalid(`the first 9 digits, ${siren}, are no SIREN: their Luhn key is wrong`);
  const laPoste = siren === laPosteSiren && digitSum(siret) % 5 === 0;
  if (!passesLuhn(siret) && !laPoste) throw invalid(`${siret} is no SIRET: its Luhn key is wrong`);
  return { siret, siren };
}

function invalid(message: string): AppError {
  return new AppError('invalid', 'siret_invalid', message);
}

function digitSum(digits: string): number {
  return [...digits].reduce((sum, digit) => sum + Number(digit), 0);
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = index % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
