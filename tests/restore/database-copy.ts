import type { Document } from 'mongodb';
import { withClient } from '../upgrade/dump.ts';

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
