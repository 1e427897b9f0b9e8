import { parseArgs } from 'node:util';

export const usage = `Usage: npm run restored -- <service>… | --all [options]

Makes all services agree again after the database of a service was restored to an older state. Stop the service, restore its
database, run this, start the service (docs/backup.md). It can be run again at any time.

  --all     every service that has a database
  --again   only have everything told and checked again; the service may run
  --list    say what others know and the service has lost; changes nothing
  --help    show this

MONGODB_URL and AMQP_URL name the servers (default: those of the running stack), NAMESPACE a prefix of the names on them.`;

/** `options`: those for the command of each service. */
export type Arguments = { services: string[]; options: string[] };

/** @returns null for `--help`. @throws Error with the usage */
export function parseArguments(args: string[], services: readonly string[]): Arguments | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const unknown = positionals.find((name) => !services.includes(name));
  if (unknown !== undefined) throw new Error(`there is no database of '${unknown}'.\n\n${usage}`);
  if (values.again && values.list) throw new Error(`--again and --list exclude each other.\n\n${usage}`);
  if (positionals.length > 0 === (values.all ?? false))
    throw new Error(`name the services whose databases were restored, or --all.\n\n${usage}`);
  return {
    services: values.all ? [...services] : [...new Set(positionals)],
    options: [...(values.again ? ['--again'] : []), ...(values.list ? ['--list'] : [])],
  };
}

function parse(args: string[]) {
  try {
    const options = {
      all: { type: 'boolean' },
      again: { type: 'boolean' },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new Error(`${(error as Error).message.split('. ')[0]}.\n\n${usage}`);
  }
}
