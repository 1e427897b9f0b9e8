/** An amount as it was typed: the decimal text that the API takes, or why it is not clear. */
export type TypedAmount =
  | { isClear: true; decimal: string }
  /** `readings`: what it may mean; empty: nothing. */
  | { isClear: false; readings: string[] };

const space = /[\s\u00a0\u202f'’€]/g;
/** `1.234.567`, `1,234.50`: groups of three with one mark, then perhaps decimals with the other. */
const grouped = /^(-?\d{1,3})([.,])(\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
const single = /^(-?\d*)[.,](\d+)$/;

/**
 * Reads an amount as people write it, in either language: spaces group thousands; commas and dots do, if it cannot mean anything
 * else. `1,234` and `1.234` may be a thousand or one: nothing is guessed.
 */
export function readAmount(text: string): TypedAmount {
  const written = text.replace(space, '');
  if (/^-?\d+$/.test(written)) return { isClear: true, decimal: written };
  const [, whole, , groups = '', decimals] = grouped.exec(written) ?? [];
  const [, before, after] = single.exec(written) ?? [];
  const asDecimal = after === undefined ? [] : [`${before || '0'}.${after}`];
  // `0,125` has no thousands.
  const isGrouped = whole !== undefined && !/^-?0/.test(whole);
  const asThousands = isGrouped ? [`${whole}${groups.replace(/[.,]/g, '')}${decimals ? `.${decimals}` : ''}`] : [];
  const [only, ...others] = [...asThousands, ...asDecimal];
  if (only === undefined) return { isClear: false, readings: [] };
  return others.length === 0 ? { isClear: true, decimal: only } : { isClear: false, readings: [only, ...others] };
}
