import type { MongoClient } from 'mongodb';

/** Makes MongoDB write out what was just loaded, so that the next round does not pay for it. */
export async function flushToDisk(client: MongoClient): Promise<void> {
  await client.db('admin').command({ fsync: 1 });
}
