import { unmappable } from './errors.ts';

/** The number `units` / 10^`scale`, for exact arithmetic. */
type Decimal = { units: bigint; scale: number };

/** A floating point number of more than 15 digits may not print as the decimal it came from. */
const exactUnits = 10n ** 15n;

/**
 * Parses an xs:decimal: no exponent, no comma, no thousands separator.
 * @throws AppError invalid `unmappable`, with `where` in the message
 */
export function parseDecimal(text: string, where: string): Decimal {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?$/.exec(text) ?? [];
  if (whole === '' && fraction === '')
    throw unmappable(`${where} is no decimal number: ${JSON.stringify(text.slice(0, 40))}`);
  const significant = fraction.replace(/(?<!0)0+$/, '');
  const units = BigInt(whole + significant);
  return { units: sign === '-' ? -units : units, scale: significant.length };
}

/** The number that prints as this decimal. */
export function toNumber({ units, scale }: Decimal): number {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const text = `${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`;
  // Adding 0 makes the negative zero of "-0.00" a plain one.
  return Number(text) * (units < 0n ? -1 : 1) + 0;
}

/** As `toNumber`, for amounts of money. @throws AppError invalid `unmappable` if the number would not be exact */
export function toAmount(decimal: Decimal, where: string): number {
  if (decimal.units >= exactUnits || decimal.units <= -exactUnits) {
    throw unmappable(`${where} has more than 15 digits, which no sum of money has`);
  }
  return toNumber(decimal);
}

export function subtract(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { units: atScale(left, scale) - atScale(right, scale), scale };
}

/** Converts a percentage into a fraction: 5.5 into 0.055. */
export function percentToFraction({ units, scale }: Decimal): Decimal {
  return { units, scale: scale + 2 };
}

/** Rounded to more decimal places than a number has, half away from zero. */
export function divide(left: Decimal, right: Decimal): Decimal {
  const scale = 60;
  const dividend = left.units * 10n ** BigInt(scale + right.scale + 1);
  const tenfold = dividend / (right.units * 10n ** BigInt(left.scale));
  return { units: (tenfold + (tenfold < 0n ? -5n : 5n)) / 10n, scale };
}

function atScale({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}
