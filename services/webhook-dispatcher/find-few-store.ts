import { type Collection, mongo } from 'mongoose';

/** So many endpoints fit into one answer of MongoDB, 16 MB, however long their URLs are. */
const few = 500;

/**
 * All that a query finds. By the bare command: a cursor takes the caller half as much again for the few that there are as a
 * rule. More of them, and what fails, are asked for by the driver's own find, which retries as it does.
 */
export async function findFew<T>(collection: Collection, filter: object): Promise<T[]> {
  try {
    // Without a size of its own the only batch would have 101.
    const command = { find: collection.name, filter, limit: few + 1, batchSize: few + 1, singleBatch: true };
    const found: T[] | undefined = (await collection.conn.db?.command(command))?.['cursor'].firstBatch;
    if (found && found.length <= few) return found;
  } catch (error) {
    // Nobody is there to be asked.
    if (error instanceof mongo.MongoServerSelectionError) throw error;
  }
  return (await collection.find(filter).toArray()) as T[];
}
