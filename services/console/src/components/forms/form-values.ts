import { readAmount } from './amount.ts';

/** The text of a field, trimmed; undefined if it is empty. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** The decimal text of an `AmountField`; undefined if it is empty. A form with an amount that is not clear is not sent. */
export function amountIn(values: FormData, name: string): string | undefined {
  const read = readAmount(textOf(values, name) ?? '');
  return read.isClear ? read.decimal : undefined;
}

/** The same as a number; null if it is empty. */
export function numberIn(values: FormData, name: string): number | null {
  const decimal = amountIn(values, name);
  return decimal === undefined ? null : Number(decimal);
}
