import { passesLuhn } from './check-digits.ts';
import { hasSiretKey } from './siret.ts';

/** A VAT number of France or Monaco. `siren` is null for Monaco, whose numbers hold none; `keyValid`: the two characters agree. */
export type FrenchVat = { vatNumber: string; siren: string | null; keyValid: boolean };

/** The 34 characters of a new-style VAT key: no I, no O. */
const keyAlphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/**
 * The 9 digits of a SIREN as documents write it: labels, spaces, dots and dashes around and in it ("RCS Lyon B 732 829
 * 320"). 7 or 8 digits are padded on the left where that gives a right key: leading zeros get lost in spreadsheets.
 * A wrong Luhn key is no reason to refuse 9 digits (domain.md section 3, rule 1): ask `hasSirenKey`. Nothing found: null.
 */
export function readSiren(text: string): string | null {
  const runs = digitRuns(text);
  const whole = runs.find((run) => run.length === 9);
  if (whole) return whole;
  const padded = runs.length === 1 && /^\d{7,8}$/.test(runs[0] ?? '') ? (runs[0] as string).padStart(9, '0') : null;
  return padded !== null && hasSirenKey(padded) ? padded : null;
}

/** The 14 digits of a SIRET, read as `readSiren` does; 12 or 13 digits are padded. */
export function readSiret(text: string): string | null {
  const runs = digitRuns(text);
  const whole = runs.find((run) => run.length === 14);
  if (whole) return whole;
  const padded = runs.length === 1 && /^\d{12,13}$/.test(runs[0] ?? '') ? (runs[0] as string).padStart(14, '0') : null;
  return padded !== null && hasSiretKey(padded) && hasSirenKey(padded.slice(0, 9)) ? padded : null;
}

export function hasSirenKey(siren: string): boolean {
  return /^\d{9}$/.test(siren) && passesLuhn(siren);
}

/** A VAT number that begins with FR (domain.md section 3); another country's, or another form: null. */
export function readFrenchVat(text: string): FrenchVat | null {
  const vatNumber = compact(text).toUpperCase();
  const [, key, digits] = /^FR([0-9A-HJ-NP-Z]{2})(\d{9})$/.exec(vatNumber) ?? [];
  if (key === undefined || digits === undefined) return null;
  return { vatNumber, siren: digits.startsWith('000') ? null : digits, keyValid: vatKeyAgrees(key, Number(digits)) };
}

/** Whose SIREN a party's numbers give: its own, else the SIRET's, else the French VAT number's; none: null. */
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

/** The runs of digits of a text, once what people put between them is gone. */
function digitRuns(text: string): string[] {
  // The department of a craftsman's register is a number of its own: "RM 69".
  return compact(text.replace(/\bR\.?M\.?\s{0,3}\d{2,3}\b/gi, 'RM')).match(/\d+/g) ?? [];
}

function compact(text: string): string {
  return text.replace(/[\s\u00a0\u202f\u200b.\-‐‑–/]/g, '');
}
