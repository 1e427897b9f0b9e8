import { invoiceLimits as limits } from '@app/contracts';
import { AppError, readFrenchVat, readIban, readSiret, sirenOf } from '@app/kernel';
import { identifier, list, text } from './json.ts';

/** This payload can't become an invoice, and never will as it is. */
export function unmappable(sentence: string): AppError {
  return new AppError('invalid', 'unmappable', sentence);
}

/** @throws AppError invalid `unmappable` naming the field where it is absent */
export function required<T>(field: string, value: T | null): T {
  if (value === null) throw unmappable(`the invoice has no ${field}`);
  return value;
}

/** The number of an invoice; null without one. @throws AppError invalid `unmappable` where it is longer than any */
export function invoiceNumber(value: unknown): string | null {
  const written = text(value);
  if (written !== null && written.length > limits.numberLength)
    throw unmappable(`the number has more than ${limits.numberLength} characters`);
  return written;
}

/** What names an order, a ticket or a contract; a longer text is none. */
export const reference = identifier;

/** A name or the label of a line, cut to its greatest length; null without one. */
export function label(value: unknown): string | null {
  return text(value)?.slice(0, limits.labelLength) ?? null;
}

/** Those of the texts that say something, each cut to its greatest length. */
export function notes(values: readonly unknown[]): string[] {
  const written = values.slice(0, limits.notes).map((value) => text(value)?.slice(0, limits.noteLength) ?? null);
  return written.filter((note) => note !== null);
}

/** @throws AppError invalid `unmappable` where there are more than an invoice has */
export function rows(field: string, value: unknown): unknown[] {
  const given = list(value);
  if (given.length > limits.lines) throw unmappable(`the invoice has more than ${limits.lines} ${field}`);
  return given;
}

const decimalForm = new RegExp(`^([+-]?)(\\d{1,${limits.decimalDigits}})(?:\\.(\\d{0,${limits.decimalDigits}}))?$`);

/**
 * The number that prints as this decimal text, `"1200.50"` or 1200.5; null where there is none.
 * @throws AppError invalid `unmappable` where it is no decimal, or has more digits than a number keeps
 */
export function decimal(field: string, value: unknown): number | null {
  const written = text(value);
  if (written === null) return null;
  const [, sign, whole, part = ''] = decimalForm.exec(written) ?? [];
  if (whole === undefined) throw unmappable(`${field} is no decimal number of at most ${limits.decimalDigits} digits`);
  const fraction = part.replace(/(?<!0)0+$/, '');
  const plain = `${whole.replace(/^0+(?=\d)/, '')}${fraction === '' ? '' : `.${fraction}`}`;
  const number = Number(plain);
  if (String(number) !== plain) throw unmappable(`${field} has more digits than are exact`);
  return sign === '-' && number !== 0 ? -number : number;
}

/** `YYYY-MM-DD` of a date or a moment (its day as written); null without one. @throws AppError invalid `unmappable` */
export function day(field: string, value: unknown): string | null {
  const written = text(value);
  if (written === null) return null;
  const date = /^(\d{4}-\d{2}-\d{2})(?:T.{0,40})?$/.exec(written)?.[1];
  // The 31st of February reads as the 3rd of March: a day is one that comes back as it was.
  const real = date !== undefined && new Date(`${date}T00:00:00Z`).getTime();
  if (!date || !real || new Date(real).toISOString().slice(0, 10) !== date) throw unmappable(`${field} is no date`);
  return date;
}

/** ISO 4217, upper case; null without one. @throws AppError invalid `unmappable` */
export function currencyCode(value: unknown): string | null {
  const code = text(value)?.toUpperCase() ?? null;
  if (code !== null && !/^[A-Z]{3}$/.test(code)) throw unmappable('the currency is no ISO 4217 code');
  return code;
}

/** VAT is what the totals leave, to the cent, where a payload does not say it. */
export function amountsOf(given: { ht: number | null; tva: number | null; ttc: number | null }) {
  const ttc = required('amount including VAT', given.ttc);
  const ht = given.ht ?? (given.tva === null ? null : minus(ttc, given.tva));
  return { ht: required('amount excluding VAT', ht), tva: given.tva ?? minus(ttc, required('VAT', ht)), ttc };
}

/** The difference of two amounts in whole cents. */
export function minus(one: number, other: number): number {
  return plus(one, -other);
}

/** The sum of two amounts in whole cents. */
export function plus(one: number, other: number): number {
  return (Math.round(one * 100) + Math.round(other * 100)) / 100;
}

type Numbers = { siren: unknown; siret: unknown; vatNumber: unknown; iban: unknown };

/**
 * A company's numbers without spaces and words around them; the SIREN is that given, else the SIRET's, else the French VAT
 * number's (domain.md section 3). A SIRET under the name of SIREN is found. What is no IBAN stays as it stands, to be flagged.
 */
export function companyNumbers(given: Numbers) {
  const [siren, siret, vatNumber, iban] = [given.siren, given.siret, given.vatNumber, given.iban].map(cut);
  const establishment = [siret, siren].map((number) => (number ? readSiret(number) : null)).find((one) => one !== null);
  return {
    siren: sirenOf({ siren: siren ?? null, siret: establishment ?? null, vatNumber: vatNumber ?? null }),
    siret: establishment ?? null,
    vatNumber: vatNumber ? (readFrenchVat(vatNumber)?.vatNumber ?? compact(vatNumber)) : null,
    iban: iban ? (readIban(iban) ?? compact(iban)) : null,
  };
}

/** To the length of a reference: what is longer holds a number at best, and is none. */
function cut(value: unknown): string | null {
  return text(value)?.slice(0, limits.referenceLength) ?? null;
}

function compact(value: string): string {
  return value.toUpperCase().replace(/\s/g, '');
}
