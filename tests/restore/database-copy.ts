import { serviceTable } from '@app/start';
import { type Document, MongoClient } from 'mongodb';

/** Every database of a platform, without the namespace. */
const databases = [...serviceTable.filter(({ database }) => database).map(({ name }) => name), 'storage'];

/** Every document of a database, by collection. */
export type DatabaseCopy = Map<string, Document[]>;

/** Numbers stay of the type that they are stored as. */
const exact = { promoteValues: false } as const;

export function copyDatabase(url: string, name: string): Promise<DatabaseCopy> {
  return withClient(url, async (client) => {
    const database = client.db(name);
    const names = (await database.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name);
    const copies = names.map(async (one) => {
      const documents = await database.collection(one).find({}, exact).toArray();
      return [one, documents] as const;
    });
    return new Map(await Promise.all(copies));
  });
}

/** The database as it was then; its indexes stay. */
export function restoreDatabase(url: string, name: string, copy: DatabaseCopy): Promise<void> {
  return withClient(url, async (client) => {
    const database = client.db(name);
    for (const { name: one } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      await database.collection(one).deleteMany({});
      const documents = copy.get(one) ?? [];
      if (documents.length > 0) await database.collection(one).insertMany(documents);
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
