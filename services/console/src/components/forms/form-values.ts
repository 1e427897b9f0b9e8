import { readingsOf } from './amount.ts';

/** The text of a field, trimmed; undefined if it is empty. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** The decimal text of an `AmountField`; other text as it is, so that the API names the fault. Undefined if it is empty. */
export function amountIn(values: FormData, name: string): string | undefined {
  const text = textOf(values, name);
  const [reading = text] = readingsOf(text ?? '');
  return reading;
}

/** The same as a number; null if it is empty. */
export function numberIn(values: FormData, name: string): number | null {
  const text = amountIn(values, name);
  if (text === undefined) return null;
  return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
}
