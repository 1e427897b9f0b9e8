import type { Line } from './growth.ts';
import { measures } from './measures.ts';

/** The results of a run. */
export type Soak = {
  minutes: number;
  /** Steps of integrators a second: at most (null: not measured), and during the run. */
  capacity: number | null;
  rate: number;
  writes: number;
  samples: number;
  lines: Line[];
  /** Wrong answers, processes that ended, what was left in queues and outboxes. */
  failures: string[];
};

export const begin = '<!-- soak -->';
export const end = '<!-- end of soak -->';

/** Whether nothing grew and nothing failed. */
export function isSteady({ lines, failures }: Soak): boolean {
  return failures.length === 0 && lines.every(({ isFlat }) => isFlat);
}

/** A row for each measure, with the line of it that grew most for what it may. */
export function tableOf(lines: readonly Line[]): string {
  const rows = measures.map(({ key, title, unit }) => {
    const some = lines.filter(({ measure }) => measure === key);
    const most = some.toSorted((a, b) => b.growth / b.mayGrow - a.growth / a.mayGrow)[0];
    const all = some.reduce((sum, { median }) => sum + median, 0);
    const rising = some.filter(({ isFlat }) => !isFlat).map(({ name }) => name);
    const shown = [`${title}${unit === '' ? '' : `, ${unit}`}`, number(key === 'lag' ? (most?.median ?? 0) : all)];
    const grown = most ? [most.name, number(most.growth), number(most.mayGrow)] : ['', '', ''];
    return [...shown, ...grown, rising.length === 0 ? 'flat' : `RISES: ${rising.join(', ')}`];
  });
  const header = ['measure', 'median, all together', 'grew most', 'by', 'may grow by', 'second half'];
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [row(header), row(header.map(() => '---')), ...rows.map(row)].join('\n');
}

/** The part of the page between its markers. @param image its path, seen from the page */
export function sectionOf(soak: Soak, image: string): string {
  const { minutes, capacity, rate, writes, samples, lines, failures } = soak;
  const most = capacity === null ? '' : ` (they can do ${capacity.toFixed(1)})`;
  const load =
    `${minutes} minutes at ${rate.toFixed(1)} steps of integrators a second${most}, ` +
    `${writes} writes acknowledged, ${samples} samples.`;
  const wrong = failures.length === 0 ? 'No wrong answer, no process ended, nothing was left in a queue.' : '';
  return [
    ...[load, wrong, ...failures.map((failure) => `- ${failure}`)].filter((one) => one !== ''),
    '',
    tableOf(lines),
    '',
    `![Memory, handles, connections and queues over ${minutes} minutes](${image})`,
  ].join('\n');
}

/** The page with this section between its markers. @throws Error without them */
export function withSection(page: string, section: string): string {
  const [before, rest] = page.split(`${begin}\n`);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} and ${end}`);
  return `${before}${begin}\n\n${section}\n\n${end}${after}`;
}

function number(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 1 : 0);
}
