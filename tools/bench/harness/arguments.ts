import { parseArgs } from 'node:util';

export type Arguments = {
  /** Empty: every suite. */
  suites: string[];
  /** How many tickets count as "a million". */
  million: number;
  rounds: number;
  roundMs: number;
};

/** Invalid arguments; the message says what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = (suites: string[]) => `Usage: npm run bench -- [suite …] [options]

Measures a platform of its own against a bare server in the same run, and prints ratios. Suites: ${suites.join(', ')} (default: all).

  --million N      how many tickets stand for a million (default 1000000; 200000 is quicker)
  --rounds N       rounds of each measurement, of which the median counts (default 5)
  --seconds S      length of a round (default 2)
  --help           show this

NODE_OPTIONS reaches the services of that platform: --cpu-prof --cpu-prof-dir=DIR profiles them.`;

const options = {
  million: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @returns the arguments, or null for `--help`. @throws UsageError */
export function parseArguments(args: string[], known: string[]): Arguments | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no suite '${unknown}'. The suites are ${known.join(', ')}.`);
  return {
    suites: positionals,
    million: numberOf('million', values.million, { from: 10_000, by: 1_000_000 }),
    rounds: numberOf('rounds', values.rounds, { from: 1, by: 5 }),
    roundMs: 1000 * numberOf('seconds', values.seconds, { from: 0.1, by: 2 }),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. See --help.`);
  }
}

function numberOf(name: string, text: string | undefined, { from, by }: { from: number; by: number }): number {
  if (text === undefined) return by;
  const value = Number(text);
  if (text.trim() !== '' && value >= from && value <= 1e9) return value;
  throw new UsageError(`--${name} takes a number of at least ${from}, not '${text}'.`);
}
