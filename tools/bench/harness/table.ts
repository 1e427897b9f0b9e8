/** Prints rows as aligned columns under a title; columns of figures alone are aligned to the right. */
export function printTable(title: string, names: string[], rows: string[][]): void {
  const columns = names.map((name, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const width = Math.max(...[name, ...cells].map(({ length }) => length));
    const isFigures = cells.every((cell) => /^[\d.,]*$/.test(cell));
    return [name, ...cells].map((cell) => (isFigures ? cell.padStart(width) : cell.padEnd(width)));
  });
  const [head = '', ...lines] = [names, ...rows].map((_, at) => columns.map((cells) => cells[at]).join('  '));
  const rule = '─'.repeat(head.length);
  console.log(['', title, rule, head, rule, ...lines, rule].map((line) => line.trimEnd()).join('\n'));
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function decimals(value: number, digits: number): string {
  return value.toFixed(digits);
}

/** The aim and whether the value meets it: `≥ 0.40 met`. */
export function againstAim(value: number, aim: { least?: number; most?: number }, digits = 2): string {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = aim;
  const said = aim.least === undefined ? `≤ ${most.toFixed(digits)}` : `≥ ${least.toFixed(digits)}`;
  return `${said} ${value >= least && value <= most ? 'met' : 'MISSED'}`;
}
