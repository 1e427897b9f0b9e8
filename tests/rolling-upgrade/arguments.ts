import { parseArgs } from 'node:util';
import { previousRelease } from './previous-release.ts';

export const usage = `Usage: npm run rolling-upgrade -- [options]

Starts the platform twice over at an earlier version on loopback, loads it, replaces its processes by those of this version and
back again, and compares the books (tests/rolling-upgrade/README.md).

  --from COMMIT   the earlier version, ${previousRelease}
  --seed N        what is drawn: the order of the services, the load; default from the clock, and printed
  --at-once N     how many processes are replaced at the same time, each of another service, 1
  --patient       repeat what is answered 503 overloaded or 504, since the machine may be slow
  --keep          keep the folder of logs also where nothing went wrong`;

export type Arguments = { from: string; seed: number; atOnce: number; patient: boolean; keep: boolean };

/** @returns null for `--help`. @throws TypeError naming the option that is wrong */
export function parseArguments(args: string[]): Arguments | null {
  const { values } = parseArgs({
    args,
    options: {
      from: { type: 'string' },
      seed: { type: 'string' },
      'at-once': { type: 'string' },
      patient: { type: 'boolean' },
      keep: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    strict: true,
  });
  if (values.help) return null;
  const number = (name: 'seed' | 'at-once', otherwise: number) => {
    const given = Number(values[name] ?? otherwise);
    if (!(Number.isInteger(given) && given > 0))
      throw new TypeError(`--${name} takes a whole number above 0, not '${values[name]}'.`);
    return given;
  };
  return {
    from: values.from ?? previousRelease,
    seed: number('seed', Math.floor(Date.now() / 1000) % 1_000_000),
    atOnce: number('at-once', 1),
    patient: values.patient ?? false,
    keep: values.keep ?? false,
  };
}
