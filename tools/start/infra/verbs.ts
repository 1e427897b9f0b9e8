import { dirname, join, resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';

export type Place = {
  /** Of the repository. */
  root: string;
  /** The folder of the platform of `npm start`: STACK_DIR, or `.stack`. */
  stackDir: string;
};

/** The module of a verb. `run` takes what follows the verb; it returns the exit code, or nothing for 0. */
type Verb = { usage?: string; run(args: string[], place: Place): Promise<number> | Promise<void> };

type Program = {
  /** As it is typed: `npm run ops`. */
  command: string;
  /** What each verb does, in a line, and its module, which is loaded if it is wanted. */
  verbs: Record<string, readonly [says: string, load: () => Promise<Verb>]>;
  /** The verb that runs if none is given; without one, the program says what it has. */
  otherwise?: string;
  /** What is printed of an error; its message by default. */
  describe?: (error: unknown) => unknown;
};

/** Wrong arguments: the usage follows the message, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs the program `main.ts` of a folder of `tools` or `tests`: the verb that its first argument names. */
export function runVerbs(program: Program): void {
  const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));
  const place = { root, stackDir: process.env['STACK_DIR'] || join(root, '.stack') };
  runVerb(program, process.argv.slice(2), place).then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error: unknown) => {
      const { describe = messageOf } = program;
      process.stderr.write(`${describe(error)}\n`);
      process.exitCode = 1;
    },
  );
}

async function runVerb(program: Program, args: string[], place: Place): Promise<number> {
  const { command, verbs, otherwise } = program;
  const asksForHelp = (given: string[]) => given.some((one) => one === '--help' || one === '-h');
  const isNamed = args[0] !== undefined && !args[0].startsWith('-');
  const name = isNamed ? args[0] : otherwise;
  if (name === undefined || (!isNamed && asksForHelp(args))) return say(usageOf(program));
  const [, load] = (Object.hasOwn(verbs, name) ? verbs[name] : undefined) ?? [];
  if (!load) return complain(`${command} has no verb '${name}'.`, usageOf(program));
  const { usage = `Usage: ${command} -- ${name}`, run } = await load();
  const given = isNamed ? args.slice(1) : args;
  if (asksForHelp(given)) return say(usage);
  try {
    return (await run(given, place)) ?? 0;
  } catch (error) {
    if (error instanceof UsageError) return complain(error.message, usage);
    throw error;
  }
}

/**
 * What `parseArgs` reads of the arguments of a verb; `names`: it takes names besides options.
 * @throws UsageError naming what is wrong
 */
export function parseOptions<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
  { names = false } = {},
) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: names });
  } catch (error) {
    throw new UsageError(`${messageOf(error).split('. ')[0]}.`);
  }
}

function usageOf({ command, verbs, otherwise }: Program): string {
  const width = Math.max(...Object.keys(verbs).map((name) => name.length));
  const lines = Object.entries(verbs).map(([name, [says]]) => `  ${name.padEnd(width)}  ${says}`);
  const without = otherwise === undefined ? '' : `\n\nWithout a verb it is ${otherwise}.`;
  return `Usage: ${command} -- <verb> [options]\n\n${lines.join('\n')}${without}\n\n${command} -- <verb> --help says more.`;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function complain(sentence: string, usage: string): number {
  process.stderr.write(`${sentence}\n\n${usage}\n`);
  return 2;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
