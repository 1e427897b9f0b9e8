/** Prepares work on a text of `length` characters. */
export type MeasuredWork = (length: number) => () => unknown;

const lengths = [1_600, 12_800, 102_400];
const times = 12;
/**
 * µs. Quadratic work on 102,400 characters takes seconds; a parser that truncates long texts and then does much with the rest
 * takes some milliseconds.
 */
const negligible = 40_000;
/** Linear work costs 8 times as much on 8 times the text, quadratic work 64 times; memory use adds to both. */
const part = 8;
const mostGrowth = 24;
/** µs. Work that takes so long is not slow by accident. */
const certain = 500_000;

/**
 * Measures the processor time of the work on a text and on eight times the text; the least of several measurements counts,
 * so that other load does not matter. Cheap work is not compared.
 * @returns a sentence if the growth is more than linear, else null
 */
export function worseThanLinear(work: MeasuredWork): string | null {
  for (const length of lengths) {
    const run = work(length);
    if (costOf(run) <= negligible) continue;
    const ofPart = work(length / part);
    const costs = { less: costOf(ofPart), more: costOf(run) };
    const isTooMuch = () => costs.more > Math.max(negligible, mostGrowth * costs.less);
    for (let time = 1; time < times && isTooMuch() && costs.more < certain; time += 1) {
      costs.less = Math.min(costs.less, costOf(ofPart));
      costs.more = Math.min(costs.more, costOf(run));
    }
    if (isTooMuch()) return `${length / part} characters cost ${costs.less} µs, ${length} cost ${costs.more} µs`;
  }
  return null;
}

function costOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
