import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Options of every run. */
const common = {
  seed: { type: 'string' },
  keep: { type: 'boolean', default: false },
  'no-page': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Options;

/**
 * Reads the arguments of a run on a cluster; `--help` prints the usage and ends the process. `number` reads an option that takes a
 * number above 0.
 * @throws TypeError naming the option that is wrong
 */
export function parseArguments<O extends Options>(usage: string, options: O) {
  const { values } = parseArgs({ options: { ...common, ...options }, strict: true });
  const given = values as Record<string, unknown>;
  if (given['help']) {
    console.log(usage);
    process.exit();
  }
  const number = (name: string, otherwise: number): number => {
    const value = Number(given[name] ?? otherwise);
    if (!(value > 0)) throw new TypeError(`--${name} takes a number above 0, not '${given[name]}'.`);
    return value;
  };
  return { values, number, seed: number('seed', Math.floor(Date.now() / 1000) % 1_000_000) };
}
