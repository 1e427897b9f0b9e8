/** What is measured: work on a text of so many characters. */
export type Work = (length: number) => () => unknown;

const lengths = [1_600, 12_800, 102_400];
const times = 12;
/** Linear work costs 8 times as much on 8 times the text, quadratic work 64 times; the memory that it takes is dear beyond that. */
const part = 8;
const mostGrowth = 24;

/**
 * How much more the work costs on eight times the text, if that is more than any linear work could; null where it is not.
 * Processor time of this process, the least of several measurements, so that other work on the machine does not count. What costs
 * less than a few walks along the text is not compared: such small times are noise.
 */
export function worseThanLinear(work: Work): string | null {
  for (const length of lengths) {
    const run = work(length);
    if (costOf(run) <= negligible()) continue;
    const ofPart = work(length / part);
    const costs = { less: costOf(ofPart), more: costOf(run) };
    const isTooMuch = () => costs.more > Math.max(negligible(), mostGrowth * costs.less);
    for (let time = 1; time < times && isTooMuch(); time += 1) {
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

let negligibleCost: number | undefined;

/** Fifty walks along the longest text: half a step for each pair of its characters costs a thousand times as much. */
function negligible(): number {
  negligibleCost ??= 50 * Math.max(20, Math.min(...Array.from({ length: 20 }, () => costOf(walk))));
  return negligibleCost;
}

const walked = '0'.repeat(lengths.at(-1) as number);

function walk(): number {
  let sum = 0;
  for (let at = 0; at < walked.length; at += 1) sum += walked.charCodeAt(at);
  return sum;
}
