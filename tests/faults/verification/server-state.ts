import { readdir } from 'node:fs/promises';
import { type Db, MongoClient } from 'mongodb';
import type { Cluster } from '../cluster/cluster.ts';

/** What nobody sees from outside: outboxes and queues must be empty, files must have owners. */

/** How a key of the storage looks. */
const fileKey = /^[\w-]{43}$/;
const fileKeys = /(?<![\w-])[\w-]{43}(?![\w-])/g;

/** Sentences about outboxes and queues that hold something. @param among only these queues must be empty */
export async function findLeftOver(cluster: Cluster, among?: ReadonlySet<string>): Promise<string[]> {
  const outboxes = await inDatabases(cluster, async (database) => {
    const left: string[] = [];
    for (const collection of await database.collections()) {
      const count = await collection.countDocuments({ 'outbox.0': { $exists: true } });
      if (count > 0) left.push(`${count} documents of ${collection.namespace} have an outbox`);
    }
    return left;
  });
  const queues = await readQueues(cluster);
  return [
    ...outboxes,
    ...queues
      .filter(([name, count]) => count > 0 && (among?.has(name) ?? true))
      .map(([name, count]) => `${count} messages in ${name}`),
  ];
}

/** The messages of each queue, those being handled included. */
export async function readQueues({ rabbit }: Pick<Cluster, 'rabbit'>): Promise<[string, number][]> {
  const output = await rabbit.control(0, ['list_queues', 'name', 'messages', '--no-table-headers']);
  const lines = output.split('\n').filter((line) => /\t\d+$/.test(line));
  return lines.map((line) => line.split('\t') as [string, string]).map(([name, count]) => [name, Number(count)]);
}

/** The keys of the files in the storage folder. */
export async function storedFiles({ disks: { storage } }: Cluster): Promise<string[]> {
  const entries = await readdir(storage.path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && fileKey.test(entry.name)).map(({ name }) => name);
}

/** Every key that any document names, a pending upload's record included: its sweep removes the file 15 minutes later. */
export async function ownedFiles(cluster: Cluster): Promise<Set<string>> {
  const named = await inDatabases(cluster, async (database) => {
    const keys: string[] = [];
    for (const collection of await database.collections())
      for await (const document of collection.find()) keys.push(...(JSON.stringify(document).match(fileKeys) ?? []));
    return keys;
  });
  return new Set(named);
}

async function inDatabases<T>(cluster: Cluster, work: (database: Db) => Promise<T[]>): Promise<T[]> {
  const client = new MongoClient(cluster.mongodbUrl, { serverSelectionTimeoutMS: 10_000 });
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const names = databases.map(({ name }) => name).filter((name) => name.startsWith(cluster.namespace));
    const results: T[] = [];
    for (const name of names) results.push(...(await work(client.db(name))));
    return results;
  } finally {
    await client.close();
  }
}
