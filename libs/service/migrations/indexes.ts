import type { Connection, Model, mongo } from 'mongoose';

/** An index that a model of the service declares. */
export type Index = { collection: string; name: string; isUnique: boolean; spec: mongo.IndexDescription };

/** Fewer documents are indexed in a moment. */
const smallCollection = 10_000;

/**
 * Creates the collections of every model. Within a transaction, a write that has to create its
 * collection may conflict with others.
 */
export async function createCollections(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) await model.createCollection();
}

/** The declared indexes that are not there, by their names: an index that changes gets a new name. */
export async function missingIndexes(connection: Connection): Promise<Index[]> {
  const missing: Index[] = [];
  for (const model of Object.values(connection.models)) {
    const present = new Set(await namesOf(model));
    missing.push(...declaredBy(model).filter(({ name }) => !present.has(name)));
  }
  return missing;
}

/**
 * Whether a service must wait for the index before it serves: it is unique, or its collection is so
 * small that it takes no time.
 */
export async function isUrgent(connection: Connection, { collection, isUnique }: Index): Promise<boolean> {
  return isUnique || (await connection.collection(collection).estimatedDocumentCount()) < smallCollection;
}

/**
 * Builds indexes, one after the other: those given, or all that are declared. What is there already takes no time. Reads and writes
 * go on meanwhile. @throws Error naming the index, also if another one has its name
 */
export async function buildIndexes(
  connection: Connection,
  indexes: readonly Index[] = declaredIndexes(connection),
): Promise<void> {
  for (const { collection, name, spec } of indexes)
    try {
      await connection.collection(collection).createIndexes([spec]);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`the index ${collection}.${name} cannot be built: ${reason}`, { cause });
    }
}

/** Indexes of the service's collections that no model declares: of an earlier version, or an operator's. As `collection.name`. */
export async function undeclaredIndexes(connection: Connection): Promise<string[]> {
  const undeclared: string[] = [];
  for (const model of Object.values(connection.models)) {
    const declared = new Set(declaredBy(model).map(({ name }) => name));
    const others = (await namesOf(model)).filter((name) => name !== '_id_' && !declared.has(name));
    undeclared.push(...others.map((name) => `${model.collection.collectionName}.${name}`));
  }
  return undeclared;
}

/** Drops an index by its `collection.name`. @throws Error unless it is there and no model declares it */
export async function dropIndex(connection: Connection, index: string): Promise<void> {
  if (!(await undeclaredIndexes(connection)).includes(index))
    throw new Error(`the index ${index} is not dropped: it does not exist, or this version uses it`);
  const split = index.lastIndexOf('.');
  await connection.collection(index.slice(0, split)).dropIndex(index.slice(split + 1));
}

function declaredIndexes(connection: Connection): Index[] {
  return Object.values(connection.models).flatMap(declaredBy);
}

function declaredBy({ schema, collection }: Model<unknown>): Index[] {
  return schema.indexes().map(([key, { background: _, ...options }]) => {
    const name = String(options.name ?? Object.entries(key).flat().join('_'));
    const spec = { ...options, key, name } as mongo.IndexDescription;
    return { collection: collection.collectionName, name, isUnique: options.unique === true, spec };
  });
}

async function namesOf({ collection }: Model<unknown>): Promise<string[]> {
  try {
    return (await collection.indexes()).map(({ name }) => String(name));
  } catch (error) {
    if ((error as { code?: unknown }).code === namespaceNotFound) return [];
    throw error;
  }
}

/** The collection does not exist yet. */
const namespaceNotFound = 26;
