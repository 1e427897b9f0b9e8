import type { Connection } from 'mongoose';

/** Creates the collections and indexes of every model of the connection, as the start of a service does with little data. */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    await model.createCollection();
    await model.createIndexes();
  }
}
