import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { serviceTable } from '@app/start';
import { BSON, type Db, type Document, type IndexDescription, MongoClient } from 'mongodb';

/** A database as text: Extended JSON, which keeps every type of BSON. */
type Dump = { collections: { name: string; indexes: IndexDescription[]; documents: Document[] }[] };

/** Every database of a platform, without the namespace. */
const databases = [...serviceTable.filter(({ database }) => database).map(({ name }) => name), 'storage'];

const fileOf = (dir: string, database: string) => join(dir, `${database}.json.gz`);

/** Writes every database of a platform into a folder, a file each. */
export async function dumpPlatform(url: string, namespace: string, dir: string): Promise<void> {
  await withClient(url, async (client) => {
    for (const name of databases) {
      const text = BSON.EJSON.stringify(await dump(client.db(`${namespace}${name}`)), { relaxed: false });
      writeFileSync(fileOf(dir, name), gzipSync(text, { level: 9 }));
    }
  });
}

async function dump(database: Db): Promise<Dump> {
  const names = (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  const collections = names.map(async (name) => {
    const collection = database.collection(name);
    const indexes = (await collection.indexes()).filter((index) => index.name !== '_id_');
    const documents = await collection.find().sort({ _id: 1 }).toArray();
    return { name, indexes: indexes.map(({ v: _, ...index }) => index as IndexDescription), documents };
  });
  return { collections: await Promise.all(collections) };
}

type Restore = {
  dir: string;
  url: string;
  namespace: string;
  madeAt: Date;
  /** Text → what stands for it now: addresses that another process listens on. */
  replace: Record<string, string>;
};

/** Restores what stands in a folder into databases of that namespace. What expires with time is moved to now: it has not expired. */
export async function restorePlatform({ dir, url, namespace, madeAt, replace }: Restore): Promise<void> {
  const age = Date.now() - madeAt.getTime();
  await withClient(url, async (client) => {
    // A service that the release before did not have has no data.
    for (const name of databases.filter((one) => existsSync(fileOf(dir, one)))) {
      let text = gunzipSync(readFileSync(fileOf(dir, name))).toString();
      for (const [from, to] of Object.entries(replace)) text = text.replaceAll(from, to);
      const { collections } = BSON.EJSON.parse(text, { relaxed: false }) as Dump;
      const database = client.db(`${namespace}${name}`);
      for (const { name: collection, indexes, documents } of collections) {
        await database.createCollection(collection);
        const expiring = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
        const fields = expiring.flatMap(({ key }) => Object.keys(key));
        for (const document of documents)
          for (const field of fields)
            if (document[field] instanceof Date) document[field] = new Date(document[field].getTime() + age);
        if (documents.length > 0) await database.collection(collection).insertMany(documents);
        if (indexes.length > 0) await database.collection(collection).createIndexes(indexes);
      }
    }
  });
}

/** Removes the databases of a platform. */
export async function dropPlatform(url: string, namespace: string): Promise<void> {
  await withClient(url, async (client) => {
    for (const name of databases) await client.db(`${namespace}${name}`).dropDatabase();
  });
}

export async function withClient<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { writeConcern: { w: 'majority' } });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
