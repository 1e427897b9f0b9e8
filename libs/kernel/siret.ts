import { digitSum, passesLuhn } from './check-digits.ts';
import { AppError } from './errors.ts';

/** A French establishment: SIRET (14 digits) and the SIREN of its company (the first 9). */
type CompanyNumber = { siret: string; siren: string };

const laPosteSiren = '356000000';

/**
 * Reads a SIRET as people write it (spaces of every kind, dots and dashes allowed).
 * Both the 9 and the 14 digits have a Luhn key; establishments of La Poste may instead have a digit sum that is a
 * multiple of 5 (INSEE).
 * @throws AppError invalid `siret_invalid`
 */
export function parseSiret(text: string): CompanyNumber {
  const siret = text.replace(/[\s\u00a0\u202f.-]/g, '');
  if (!/^\d{14}$/.test(siret)) throw invalid(`a SIRET has 14 digits, got ${siret.length} characters`);
  const siren = siret.slice(0, 9);
  if (!passesLuhn(siren)) throw invalid(`the first 9 digits, ${siren}, are no SIREN: their Luhn key is wrong`);
  if (!hasSiretKey(siret)) throw invalid(`${siret} is no SIRET: its Luhn key is wrong`);
  return { siret, siren };
}

/** Whether 14 digits have the key of a SIRET; the SIREN in them is not checked. */
export function hasSiretKey(siret: string): boolean {
  return passesLuhn(siret) || (siret.startsWith(laPosteSiren) && digitSum(siret) % 5 === 0);
}

function invalid(message: string): AppError {
  return new AppError('invalid', 'siret_invalid', message);
}
