import { parseOptions, UsageError } from '@app/start/infra';

export const usage = `Usage: npm run ops -- restored <service>… | --all [options]

Makes all services agree again after the database of a service was restored to an older state. Stop the service, restore its
database, run this, start the service (docs/backup.md). It can be run again at any time.

  --all     every service that has a database
  --again   only have everything told and checked again; the service may run
  --list    say what others know and the service has lost; changes nothing

MONGODB_URL and AMQP_URL name the servers (default: those of the running stack), NAMESPACE a prefix of the names on them.`;

/** `options`: those for the command of each service. */
export type Arguments = { services: string[]; options: string[] };

/** @throws UsageError */
export function parseArguments(args: string[], services: readonly string[]): Arguments {
  const options = { all: { type: 'boolean' }, again: { type: 'boolean' }, list: { type: 'boolean' } } as const;
  const { values, positionals } = parseOptions(args, options, { names: true });
  const unknown = positionals.find((name) => !services.includes(name));
  if (unknown !== undefined) throw new UsageError(`there is no database of '${unknown}'.`);
  if (values.again && values.list) throw new UsageError('--again and --list exclude each other.');
  if (positionals.length > 0 === (values.all ?? false))
    throw new UsageError('name the services whose databases were restored, or --all.');
  return {
    services: values.all ? [...services] : [...new Set(positionals)],
    options: [...(values.again ? ['--again'] : []), ...(values.list ? ['--list'] : [])],
  };
}
