/** What is measured: work on a text of so many characters. */
export type Work = (length: number) => () => unknown;

const lengths = [1_600, 12_800, 102_400];
const times = 12;
/**
 * µs. Half a step for each pair of 102,400 characters takes seconds; a parser that cuts what is long, and does much with what is left,
 * takes some milliseconds from where it cuts on, whatever it costs before.
 */
const negligible = 40_000;
/** Linear work costs 8 times as much on 8 times the text, quadratic work 64 times; the memory that it takes is dear beyond that. */
const part = 8;
const mostGrowth = 24;
/** µs. What takes so long was not disturbed by anything. */
const certain = 500_000;

/**
 * How much more the work costs on eight times the text, if that is more than any linear work could; null where it is not.
 * Processor time of this process, the least of several measurements, so that other work on the machine does not count. What costs
 * little is not compared.
 */
export function worseThanLinear(work: Work): string | null {
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
