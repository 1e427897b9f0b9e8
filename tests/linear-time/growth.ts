/** Prepares work on a text of `length` characters. */
export type MeasuredWork = (length: number) => () => unknown;

const longest = 25_600;
const lengths = [1_600, longest];
const times = 12;
/**
 * µs. Quadratic work on 25,600 characters takes several times as long; a parser that truncates long texts and then does much with
 * the rest takes some milliseconds.
 */
const negligible = 60_000;
/** Linear work costs 8 times as much on 8 times the text, quadratic work 64 times; memory use adds to both. */
const part = 8;
const mostGrowth = 24;
/** µs. Work that takes so long is not slow by accident. */
const certain = 250_000;

/**
 * Measures the processor time of the work on a text and on eight times the text; the least of several measurements counts,
 * so that other load does not matter. Cheap work is not compared.
 * @returns a sentence if the growth is more than linear, else null
 */
export function worseThanLinear(work: MeasuredWork): string | null {
  for (const length of lengths) {
    const run = work(length);
    const started = performance.now();
    const cost = costOf(run);
    // Even cubic work would be negligible on the longest text. By the wall clock: processor time is counted in steps of 4 ms.
    if ((performance.now() - started) * 1_000 * (longest / length) ** 3 <= negligible) return null;
    if (cost <= negligible) continue;
    const ofPart = work(length / part);
    // One measurement of the cheap side that other work slows down would hide growth: nothing is measured again then.
    const costs = { less: Math.min(costOf(ofPart), costOf(ofPart), costOf(ofPart)), more: costOf(run) };
    const isTooMuch = () => costs.more > Math.max(negligible, mostGrowth * costs.less);
    for (let time = 1; time < times && isTooMuch() && costs.more < certain; time += 1) {
      costs.less = Math.min(costs.less, costOf(ofPart));
      costs.more = Math.min(costs.more, costOf(run));
    }
    if (isTooMuch()) return `${length / part} characters cost ${costs.less} µs, ${length} cost ${costs.more} µs`;
  }
  return null;
}

/** Of this thread alone: those that collect garbage take longer on a busy machine. */
function costOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
