import type { ParseArgsConfig } from 'node:util';
import { parseOptions, UsageError } from '@app/start/infra';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Options of every run. */
const common = {
  seed: { type: 'string' },
  keep: { type: 'boolean', default: false },
  'no-page': { type: 'boolean', default: false },
} as const satisfies Options;

/**
 * Reads the arguments of a run on a cluster. `number` reads an option that takes a number above 0.
 * @throws UsageError naming the option that is wrong
 */
export function parseArguments<const O extends Options>(args: string[], options: O) {
  const { values } = parseOptions(args, { ...common, ...options });
  const given = values as Record<string, unknown>;
  const number = (name: string, otherwise: number): number => {
    const value = Number(given[name] ?? otherwise);
    if (!(value > 0)) throw new UsageError(`--${name} takes a number above 0, not '${given[name]}'.`);
    return value;
  };
  return { values, number, seed: number('seed', Math.floor(Date.now() / 1000) % 1_000_000) };
}
