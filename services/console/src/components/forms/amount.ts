const space = /[\s\u00a0\u202f'’€]/g;
/** `1.234.567`, `1,234.50`: groups of three with one mark, then perhaps decimals with the other. */
const grouped = /^(-?[1-9]\d{0,2})([.,])(\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
const decimal = /^(-?\d*)[.,](\d+)$/;

/**
 * What an amount may mean that was typed in either language, as decimal texts: none if it is no amount, two for `1,234` and
 * `1.234`, which may be a thousand or one. Spaces group thousands; commas and dots do, where they cannot mean anything else.
 */
export function readingsOf(text: string): string[] {
  const written = text.replace(space, '');
  if (/^-?\d+$/.test(written)) return [written];
  const [, thousands, , groups = '', cents] = grouped.exec(written) ?? [];
  const [, whole, fraction] = decimal.exec(written) ?? [];
  return [
    ...(thousands ? [`${thousands}${groups.replace(/[.,]/g, '')}${cents ? `.${cents}` : ''}`] : []),
    ...(fraction ? [`${whole || '0'}.${fraction}`] : []),
  ];
}
