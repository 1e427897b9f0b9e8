import { parseOptions, UsageError } from '@app/start/infra';

export const usage = `Usage: npm run ops -- migrate [options] [service...]

Brings databases, indexes and queues to this version, beside the version that is running. What is done already is skipped.
With names of services only their databases, and no queues.

  --list                                     say what is pending, and change nothing
  --drop-index <service>.<collection>.<name> drop an index that this version does not use; once no older version runs

MONGODB_URL and AMQP_URL name the servers (default: those of the running stack), NAMESPACE a prefix of the names on them.`;

/** `drop`: indexes as `collection.name`, by service. `services`: those that were named, or all. */
export type Arguments = { list: boolean; drop: Map<string, string[]>; services: readonly string[] };

/** @throws UsageError */
export function parseArguments(args: string[], services: readonly string[]): Arguments {
  const options = { list: { type: 'boolean' }, 'drop-index': { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseOptions(args, options, { names: true });
  const drop = new Map<string, string[]>();
  for (const given of values['drop-index'] ?? []) {
    const service = given.split('.', 1)[0] ?? '';
    const index = given.slice(service.length + 1);
    if (!services.includes(service) || !index.includes('.'))
      throw new UsageError(`--drop-index takes <service>.<collection>.<name>, not '${given}'.`);
    drop.set(service, [...(drop.get(service) ?? []), index]);
  }
  for (const name of positionals)
    if (!services.includes(name)) throw new UsageError(`There is no service '${name}' with a database.`);
  return { list: values.list ?? false, drop, services: positionals.length > 0 ? positionals : services };
}
