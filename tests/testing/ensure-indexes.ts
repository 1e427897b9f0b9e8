import type { Connection } from 'mongoose';

/**
 * Creates the collections and indexes of every model of the connection, as the start of a service does with little data. One command
 * makes a collection with all its indexes: each costs the server, and nearly every test file needs them.
 */
export async function ensureIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    const indexes = model.schema.indexes().map(([key, options]) => ({ ...options, key }));
    if (indexes.length > 0)
      await connection.collection(model.collection.collectionName).createIndexes(indexes as never);
    else await model.createCollection();
  }
}
