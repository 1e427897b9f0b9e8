import type { Document, MongoClient } from 'mongodb';
import { appName } from '../harness/bench.ts';

/** How often each command was sent, by what it does: `ticket: find tickets (_id)`. */
export type Commands = Map<string, number>;

/** An entry of MongoDB's profiler, as far as it is read here. */
type Profiled = { ns: string; op: string; command: Document };

const profileBytes = 64 * 1024 * 1024;
const withoutProfile = ['local', 'config'];

/**
 * Counts the commands of all services while `work` runs, by MongoDB's profiler. Each service has a database of its own, whose name
 * tells whose command it is; `admin` has the commits of transactions.
 */
export async function countCommands(client: MongoClient, work: () => Promise<unknown>): Promise<Commands> {
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
  const profiled = databases.filter(({ name }) => !withoutProfile.includes(name)).map(({ name }) => client.db(name));
  for (const database of profiled) {
    await database.createCollection('system.profile', { capped: true, size: profileBytes });
    await database.command({ profile: 2 });
  }
  try {
    await work();
  } finally {
    for (const database of profiled) await database.command({ profile: 0 });
  }
  const commands: Commands = new Map();
  for (const database of profiled) {
    const profile = database.collection<Profiled>('system.profile');
    for await (const entry of profile.find({ appName: { $ne: appName }, client: { $gt: '' } })) {
      const described = describe(entry);
      commands.set(described, (commands.get(described) ?? 0) + 1);
    }
    await profile.drop();
  }
  return commands;
}

/** The filter by its fields alone, so that the same command with other values is described in the same way. */
function describe({ ns, op, command }: Profiled): string {
  const [database = '', ...collection] = ns.split('.');
  const [name = op] = op === 'command' || op === 'query' ? Object.keys(command) : [];
  const filter: Document =
    command['filter'] ?? command['query'] ?? command['q'] ?? command['pipeline']?.[0]?.$match ?? {};
  const what = `${name} ${collection.join('.')} (${Object.keys(filter).sort().join(', ')})`;
  const update = command['u'];
  if (update?.$pull?.outbox !== undefined) return `${database}${clearing}${what}`;
  const isMarking = Object.keys(update?.[0]?.$set ?? {}).join() === 'uncounted';
  const isInTransaction = command['autocommit'] === false;
  const isCounting = isInTransaction || 'uncounted' in filter || update?.$unset?.uncounted !== undefined || isMarking;
  return `${database}${isCounting || figures.test(ns) ? counting : ': '}${what}`;
}

/** What serves all writes of some time at once, so that it is no operation's own: all that were published in 100 ms. */
const clearing = ', clears outboxes: ';
/** All that were written in a second (libs/service/statistics), in a transaction. */
const counting = ', counts figures: ';
const figures = /\.(statistics|counted_documents)$/;

export function isClearing(description: string): boolean {
  return description.includes(clearing);
}

export function isCounting(description: string): boolean {
  return description.includes(counting);
}
