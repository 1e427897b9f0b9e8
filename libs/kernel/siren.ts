import { passesLuhn } from './check-digits.ts';
import { hasSiretKey } from './siret.ts';

/** A VAT number of France or Monaco. `siren` is null for Monaco, whose numbers contain none; `keyValid`: the two check characters are right. */
type FrenchVat = { vatNumber: string; siren: string | null; keyValid: boolean };

/** The 34 characters of a new-style VAT key: no I, no O. */
const keyAlphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/**
 * The 9 digits of a SIREN in a text, with labels, spaces, dots and dashes ("RCS Lyon B 732 829 320"); null if there is none. 7 or 8
 * digits are padded on the left if that makes the Luhn key right, since spreadsheets lose leading zeros. The key of 9 digits is not
 * checked: use `hasSirenKey`.
 */
export function readSiren(text: string): string | null {
  const runs = digitRuns(text);
  const whole = runs.find((run) => run.length === 9);
  if (whole) return whole;
  const padded = runs.length === 1 && /^\d{7,8}$/.test(runs[0] ?? '') ? (runs[0] as string).padStart(9, '0') : null;
  return padded !== null && hasSirenKey(padded) ? padded : null;
}

/** The 14 digits of a SIRET in a text, as `readSiren`; 12 or 13 digits are padded. */
export function readSiret(text: string): string | null {
  const runs = digitRuns(text);
  const whole = runs.find((run) => run.length === 14);
  if (whole) return whole;
  const padded = runs.length === 1 && /^\d{12,13}$/.test(runs[0] ?? '') ? (runs[0] as string).padStart(14, '0') : null;
  return padded !== null && hasSiretKey(padded) && hasSirenKey(padded.slice(0, 9)) ? padded : null;
}

/** Whether the text is 9 digits, the last of which is the Luhn check digit. */
export function hasSirenKey(siren: string): boolean {
  return /^\d{9}$/.test(siren) && passesLuhn(siren);
}

/** Reads a VAT number that begins with FR; null for other countries and forms. */
export function readFrenchVat(text: string): FrenchVat | null {
  const vatNumber = compact(text).toUpperCase();
  const [, key, digits] = /^FR([0-9A-HJ-NP-Z]{2})(\d{9})$/.exec(vatNumber) ?? [];
  if (key === undefined || digits === undefined) return null;
  return { vatNumber, siren: digits.startsWith('000') ? null : digits, keyValid: vatKeyAgrees(key, Number(digits)) };
}

/** The SIREN of a party: its own, or else from its SIRET or its French VAT number; null if there is none. */
export function sirenOf(numbers: { siren?: string | null; siret?: string | null; vatNumber?: string | null }) {
  const { siren, siret, vatNumber } = numbers;
  const own = readSiren(siren ?? '') ?? readSiret(siret ?? '')?.slice(0, 9);
  return own ?? readFrenchVat(vatNumber ?? '')?.siren ?? null;
}

function vatKeyAgrees(key: string, siren: number): boolean {
  if (/^\d\d$/.test(key)) return Number(key) === (12 + 3 * (siren % 97)) % 97;
  const [a = 0, b = 0] = [...key].map((character) => keyAlphabet.indexOf(character));
  const check = a < 10 ? a * 24 + b - 10 : a * 34 + b - 100;
  return (siren + 1 + Math.floor(check / 11)) % 11 === check % 11;
}

/** The runs of digits in a text, without the separators that people put between them. */
function digitRuns(text: string): string[] {
  // The department of a craftsmen's register is no part of the number: "RM 69".
  return compact(text.replace(/\bR\.?M\.?\s{0,3}\d{2,3}\b/gi, 'RM')).match(/\d+/g) ?? [];
}

function compact(text: string): string {
  return text.replace(/[\s\u00a0\u202f\u200b.\-‐‑–/]/g, '');
}
