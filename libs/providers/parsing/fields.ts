import { invoiceLimits as limits } from '@app/contracts';
import { AppError, readAccounts, readFrenchVat, readSiret, sirenOf } from '@app/kernel';
import { identifier, type Json, list, record, text } from './json.ts';

/** The error of a payload that cannot become an invoice, now or later. */
export function unmappable(sentence: string): AppError {
  return new AppError('invalid', 'unmappable', sentence);
}

/** A provider's payload. @throws AppError invalid `unmappable` if it is not JSON */
export function parsePayload(raw: Buffer): Json {
  try {
    return record(JSON.parse(raw.toString('utf8')));
  } catch {
    throw unmappable('the payload is no JSON');
  }
}

/** @throws AppError invalid `unmappable` naming the field if it is absent */
export function required<T>(field: string, value: T | null): T {
  if (value === null) throw unmappable(`the invoice has no ${field}`);
  return value;
}

/** The number of an invoice; null without one. @throws AppError invalid `unmappable` if it is too long */
export function invoiceNumber(value: unknown): string | null {
  const written = text(value);
  if (written !== null && written.length > limits.numberLength)
    throw unmappable(`the number has more than ${limits.numberLength} characters`);
  return written;
}

/** A reference to an order, a ticket or a contract; null for a text longer than references are. */
export const reference = identifier;

/** A name or the label of a line, cut to its maximum length; null without one. */
export function label(value: unknown): string | null {
  return text(value)?.slice(0, limits.labelLength) ?? null;
}

/** The texts that are not empty, each cut to its maximum length. */
export function notes(values: readonly unknown[]): string[] {
  const written = values.slice(0, limits.notes).map((value) => text(value)?.slice(0, limits.noteLength) ?? null);
  return written.filter((note) => note !== null);
}

/** @throws AppError invalid `unmappable` if there are too many for an invoice */
export function rows(field: string, value: unknown): unknown[] {
  const given = list(value);
  if (given.length > limits.lines) throw unmappable(`the invoice has more than ${limits.lines} ${field}`);
  return given;
}

const decimalForm = new RegExp(`^([+-]?)(\\d{1,${limits.decimalDigits}})(?:\\.(\\d{0,${limits.decimalDigits}}))?$`);

/**
 * The number of a decimal text (`"1200.50"`) or number (1200.5); null if there is none.
 * @throws AppError invalid `unmappable` if it is not a decimal, or has more digits than a number represents exactly
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

/** `YYYY-MM-DD` of a date or time (its day as written); null without one. @throws AppError invalid `unmappable` */
export function day(field: string, value: unknown): string | null {
  const written = text(value);
  if (written === null) return null;
  const date = /^(\d{4}-\d{2}-\d{2})(?:T.{0,40})?$/.exec(written)?.[1];
  // `Date` reads the 31st of February as the 3rd of March: only a valid day survives the round trip.
  const real = date !== undefined && new Date(`${date}T00:00:00Z`).getTime();
  // Software that has no date writes the year 1, as the readers of e-invoices know too.
  const isDay = date && real && date >= '1900' && new Date(real).toISOString().startsWith(date);
  if (!isDay) throw unmappable(`${field} is no date`);
  return date;
}

/** ISO 4217, upper case; null without one. @throws AppError invalid `unmappable` */
export function currencyCode(value: unknown): string | null {
  const code = text(value)?.toUpperCase() ?? null;
  if (code !== null && !/^[A-Z]{3}$/.test(code)) throw unmappable('the currency is no ISO 4217 code');
  return code;
}

/**
 * The totals of an invoice, in its currency; a missing VAT or amount without VAT is the difference
 * of the other two.
 * @throws AppError invalid `unmappable`
 */
export function amountsOf(given: { ht: number | null; tva: number | null; ttc: number | null }) {
  const ttc = required('amount including VAT', given.ttc);
  const ht = given.ht ?? (given.tva === null ? null : minus(ttc, given.tva));
  return { ht: required('amount excluding VAT', ht), tva: given.tva ?? minus(ttc, required('VAT', ht)), ttc };
}

/** The difference of two amounts, calculated in whole cents. */
export function minus(one: number, other: number): number {
  return plus(one, -other);
}

/** The sum of two amounts, calculated in whole cents. */
export function plus(one: number, other: number): number {
  return (Math.round(one * 100) + Math.round(other * 100)) / 100;
}

type Numbers = { siren: unknown; siret: unknown; vatNumber: unknown };

/**
 * A company's identifiers, normalised. The SIREN is the given one, else that of the SIRET, else that of the French VAT number; a
 * SIRET in the field of the SIREN is recognised.
 */
export function companyNumbers(given: Numbers) {
  const [siren, siret, vatNumber] = [given.siren, given.siret, given.vatNumber].map(cut);
  const establishment = [siret, siren].map((number) => (number ? readSiret(number) : null)).find((one) => one !== null);
  return {
    siren: sirenOf({ siren: siren ?? null, siret: establishment ?? null, vatNumber: vatNumber ?? null }),
    siret: establishment ?? null,
    vatNumber: vatNumber ? (readFrenchVat(vatNumber)?.vatNumber ?? compact(vatNumber)) : null,
  };
}

/** The bank accounts in a field (`readAccounts`). @throws AppError invalid `unmappable` if there are too many */
export function accounts(value: unknown): string[] {
  const read = readAccounts([text(value) ?? '']).map((account) => account.slice(0, limits.referenceLength));
  if (read.length > limits.accounts) throw unmappable(`the invoice has more than ${limits.accounts} bank accounts`);
  return read;
}

/** At most as long as a reference: no identifier is longer. */
function cut(value: unknown): string | null {
  return text(value)?.slice(0, limits.referenceLength) ?? null;
}

function compact(value: string): string {
  return value.toUpperCase().replace(/\s/g, '');
}
