import type { MongoClient } from 'mongodb';

/** Has MongoDB write out what was just loaded into it, so that the next round does not pay for that. */
export async function onDisk(client: MongoClient): Promise<void> {
  await client.db('admin').command({ fsync: 1 });
}
