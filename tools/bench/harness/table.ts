/** A column of a table: text to the left, figures to the right. */
type Column = { name: string; align: 'left' | 'right' };

export const text = (name: string): Column => ({ name, align: 'left' });
export const figure = (name: string): Column => ({ name, align: 'right' });

/** Formats rows as aligned columns under a title. */
export function table(title: string, columns: Column[], rows: string[][]): string {
  const widths = columns.map(({ name }, index) =>
    Math.max(name.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: string[]) =>
    columns
      .map(({ align }, index) => {
        const cell = cells[index] ?? '';
        const width = widths[index] as number;
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const head = line(columns.map(({ name }) => name));
  const rule = '─'.repeat(Math.max(...[head, ...rows.map(line)].map((shown) => shown.length)));
  return ['', title, rule, head, rule, ...rows.map(line), rule].join('\n');
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
