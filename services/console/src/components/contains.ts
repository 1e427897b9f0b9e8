/** Whether what was typed stands somewhere in the text, whatever the case, accents, dashes and spaces of both. */
export function contains(text: string, typed: string): boolean {
  return plain(text).includes(plain(typed));
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[\p{Pd}\u2043\u2212]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase();
}
