import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { numberOf, UsageError } from '../harness/arguments.ts';

export type Arguments = {
  times: number;
  seconds: number;
  connections: number;
  profileDir: string | null;
};

export const usage = `Usage: npm run overload -- [options]

Starts a platform with its default limits, measures what it serves, offers it many times that, then holds thousands of idle and
dripping connections open, with callers within their limits beside; prints what each of them got (docs/reliability.md).

  --times N        how many times what the platform serves is offered (default 10)
  --seconds S      how long, and how long connections are held (default 60)
  --connections N  idle and dripping connections, five addresses together (default 5000; 0: none)
  --profile DIR    also say what each service spent its time on, and leave the CPU profiles there
  --help           show this`;

const options = {
  times: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  profile: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @returns the arguments, or null for `--help`. @throws UsageError */
export function parseArguments(args: string[]): Arguments | null {
  const { values } = parse(args);
  if (values.help) return null;
  return {
    times: numberOf('times', values.times, { from: 1, by: 10 }),
    seconds: numberOf('seconds', values.seconds, { from: 5, by: 60 }),
    connections: numberOf('connections', values.connections, { from: 0, by: 5_000 }),
    profileDir: values.profile ? resolve(values.profile) : null,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, strict: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. See --help.`);
  }
}
