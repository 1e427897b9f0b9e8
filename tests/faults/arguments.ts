import { parseArgs } from 'node:util';
import type { Form } from './injection/schedule.ts';

export const usage = `Usage: npm run faults -- [options]

Starts the platform twice over on loopback, loads it, lets faults happen, and compares the books (tests/faults/README.md).

  --seed N       what is drawn: the faults, whom they hit, the load; default from the clock, and printed
  --minutes N    how long faults happen, 15
  --brief        a few kinds once, in a minute, as in \`npm test\`
  --short        every short kind once, as in \`npm run test:slow\`
  --only KIND    this kind alone; may be repeated
  --keep         keep the folder of logs also if nothing is wrong
  --no-page      leave docs/reliability.md as it is`;

export type Arguments = { seed: number; form: Form; only: string[]; keep: boolean; page: boolean };

/** @returns null for `--help`. @throws TypeError naming the option that is wrong */
export function parseArguments(args: string[]): Arguments | null {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string' },
      brief: { type: 'boolean' },
      short: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      keep: { type: 'boolean' },
      'no-page': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: true,
  });
  if (values.help) return null;
  const number = (name: 'seed' | 'minutes', otherwise: number) => {
    const given = Number(values[name] ?? otherwise);
    if (!(given > 0)) throw new TypeError(`--${name} takes a number above 0, not '${values[name]}'.`);
    return given;
  };
  const brevity = values.brief ? 'brief' : values.short ? 'short' : null;
  return {
    seed: number('seed', Math.floor(Date.now() / 1000) % 1_000_000),
    form: brevity ? { kind: brevity } : { kind: 'long', minutes: number('minutes', 15) },
    only: values.only ?? [],
    keep: values.keep ?? false,
    page: !brevity && !values['no-page'],
  };
}
