import { parseArgs } from 'node:util';

export const usage = `Usage: npm run soak -- [options]

Starts the platform twice over, as npm run faults does, loads it with half of what it can do and lets nothing else happen; what
every process uses must not grow (tests/soak/README.md).

  --minutes N   how long, 60
  --rate N      steps of integrators a second; by default half of what a minute without a limit did
  --seed N      what the integrators draw; default from the clock, and printed
  --keep        keep the folder of logs also where all is well
  --no-page     leave docs/reliability.md and its image as they are
  --help        show this`;

export type Arguments = { minutes: number; rate: number | null; seed: number; keep: boolean; page: boolean };

/** @returns null for `--help`. @throws TypeError naming the option that is wrong */
export function parseArguments(args: string[]): Arguments | null {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' },
      rate: { type: 'string' },
      seed: { type: 'string' },
      keep: { type: 'boolean' },
      'no-page': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: true,
  });
  if (values.help) return null;
  const number = (name: 'minutes' | 'rate' | 'seed', otherwise: number) => {
    const given = Number(values[name] ?? otherwise);
    if (!(given > 0)) throw new TypeError(`--${name} takes a number above 0, not '${values[name]}'.`);
    return given;
  };
  return {
    minutes: number('minutes', 60),
    rate: values.rate === undefined ? null : number('rate', 1),
    seed: number('seed', Math.floor(Date.now() / 1000) % 1_000_000),
    keep: values.keep ?? false,
    page: !values['no-page'],
  };
}
