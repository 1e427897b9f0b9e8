import mongoose from 'mongoose';
import type { Logger } from './logger.ts';
import { withTimeout } from './with-timeout.ts';

type MongoOptions = { url: string; database: string; logger?: Logger; poolSize?: number };

/**
 * Connects to a MongoDB replica set, to one database of it. Writes are acknowledged by a majority and journaled.
 * Rejects within 10 s, or the url's own `serverSelectionTimeoutMS`, where no server answers.
 */
export async function connectMongo({
  url,
  database,
  logger,
  poolSize = 50,
}: MongoOptions): Promise<mongoose.Connection> {
  const connection = mongoose.createConnection(url, {
    dbName: database,
    maxPoolSize: poolSize,
    // An option beside the url would overrule what stands in it.
    ...(/[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS: 10_000 }),
    writeConcern: { w: 'majority', journal: true },
    retryWrites: true,
    // Indexes are made by `ensureIndexes`, awaited at the start: a first request never races them.
    autoIndex: false,
    autoCreate: false,
    // Mongoose would hold what is asked of a database that is away back for 10 s, and fail it with an error of its own.
    bufferCommands: false,
  });
  let closing = false;
  connection.once('disconnecting', () => {
    closing = true;
  });
  connection.on('disconnected', () => closing || logger?.warn('MongoDB connection lost', { database }));
  connection.on('reconnected', () => logger?.info('MongoDB connection is back', { database }));
  return connection.asPromise();
}

/** Makes the collections and indexes of every model on the connection; needed before transactions touch them. */
export async function ensureIndexes(connection: mongoose.Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    await model.createCollection();
    await model.createIndexes();
  }
}

/** Only what can't be rolled back any more; asked for in the command, since a bare one knows nothing of its connection. */
export const majorityRead = { readConcern: { level: 'majority' } } as const;

type One = { filter: object; projection?: object; hint?: string; readConcern?: { level: 'majority' } };
type Few = One & { limit?: number };

/**
 * The document that a query finds, or null. By the bare command: `findOne` makes a cursor for its single document, which
 * takes the caller twice the processor time. What fails is asked once more by `findOne`, as the driver retries reads;
 * where no server answered there is nobody to ask.
 */
export async function findOneRaw<T>(collection: mongoose.Collection, { filter, ...options }: One): Promise<T | null> {
  try {
    const command = { find: collection.name, filter, ...options, limit: 1, singleBatch: true };
    const reply = await collection.conn.db?.command(command);
    if (reply) return (reply['cursor'].firstBatch[0] as T | undefined) ?? null;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
  }
  return (await collection.findOne(filter, options)) as T | null;
}

/** Far more than is asked for here: the server's own first batch is 101, which costs a second way there. */
const few = 10_000;

/**
 * All that a query finds, of which there are few. By the bare command: a cursor takes the caller half as much again. What does
 * not fit into one answer (16 MB), and what fails, is asked for by the driver's own find, which retries as it does.
 */
export async function findManyRaw<T>(collection: mongoose.Collection, { filter, ...options }: Few): Promise<T[]> {
  const { name, conn } = collection;
  try {
    const cursor = (await conn.db?.command({ find: name, filter, ...options, batchSize: few }))?.['cursor'];
    if (cursor && Number(cursor.id) === 0) return cursor.firstBatch as T[];
    // The server would keep it for ten minutes; where it cannot be told it does.
    const cursors = cursor && [mongoose.mongo.Long.fromValue(cursor.id)];
    if (cursors) await conn.db?.command({ killCursors: name, cursors }).catch(() => undefined);
  } catch (error) {
    // Nobody is there to be asked.
    if (error instanceof mongoose.mongo.MongoServerSelectionError) throw error;
  }
  return (await collection.find(filter, options).toArray()) as T[];
}

/**
 * Resolves when a majority of the replica set has all that the primary had so far: no election takes back what was read of it. For
 * what is acknowledged without a write of its own. By a write that finds nothing, for which the server waits as for any other.
 */
export async function waitForMajority(collection: {
  updateOne(filter: object, update: object): Promise<unknown>;
}): Promise<void> {
  await collection.updateOne({ _id: '' }, { $set: { never: true } });
}

const pingWithinMs = 2_000;

/** Rejects where the database does not answer within 2 s: what `/readyz` asks. */
export async function pingMongo(connection: mongoose.Connection): Promise<void> {
  await withTimeout(connection.getClient().db().command({ ping: 1 }), { ms: pingWithinMs, what: 'MongoDB' });
}

/** True for a write refused by a unique index, of that name if given. */
export function isDuplicateKey(error: unknown, index?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 11000) return false;
  return index === undefined || error.message.includes(`index: ${index} `);
}

/**
 * Which writes of an unordered bulk were refused and why, by their places; the others were made.
 * @throws the error itself where that is not all that it says
 */
export function writeErrorsByIndex(error: unknown): Map<number, Error> {
  const { MongoBulkWriteError, MongoServerError } = mongoose.mongo;
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refused = [error.writeErrors].flat();
  if (refused.length === 0 || error.result.getWriteConcernError()) throw error;
  return new Map(
    refused.map(({ index, code, errmsg = '' }) => [index, new MongoServerError({ code, errmsg, message: errmsg })]),
  );
}

/** The same for a bulk of which nothing may be refused but what is there already: the places of those. */
export function duplicateIndexes(error: unknown): number[] {
  const refused = writeErrorsByIndex(error);
  for (const one of refused.values()) if (!isDuplicateKey(one)) throw error;
  return [...refused.keys()];
}

/** True where the driver could not put what it was given into bytes (too large, no BSON): nothing was sent, not even of the rest. */
export function isUnserializable(error: unknown): boolean {
  return error instanceof Error && /^(BSON\w*Error|RangeError|TypeError|MongoInvalidArgumentError)$/.test(error.name);
}

const outageNames =
  /^(Mongo(oseServerSelection|Network|Server(Selection|Closed)|Pool|WaitQueue|NotConnected|TopologyClosed|ClientClosed|ExpiredSession|StalePrimary|OperationTimeout|System)|PoolCleared)/;
/** Labels that MongoDB gives what may succeed when tried again: a primary that steps down, writes in each other's way. */
const outageLabels = ['TransientTransactionError', 'RetryableWriteError'];
/**
 * The same of a statement that the driver never repeats, which bears no label: a primary that steps down or shuts down
 * (MongoDB's specification "Retryable Writes", section "Determining Retryable Errors"), a cursor that a restart has taken
 * along (43, 237), too few members or too slow ones to keep a write for good (64, 100) or to say what is kept (134), a
 * disk that is full (14031).
 */
const outageCodes = new Set<unknown>([
  // Node's own, of a socket that the server has ended: the driver passes it on as it is.
  'EPIPE',
  ...[6, 7, 43, 64, 89, 91, 100, 134, 189, 237, 262],
  ...[9001, 10107, 11600, 11602, 13435, 13436, 14031],
]);
/** Mongoose's own errors of this kind have no name and no code that would tell. */
const outageSentences = /buffering timed out|Connection was force closed/;
/** An error within an error within an error: the driver's own are two deep. */
const causesLookedAt = 5;

/** True where the database did not answer, or said that the same may succeed later: whether it was written is not known. */
export function isTransientMongoError(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > causesLookedAt) return false;
  const { code, hasErrorLabel } = error as Error & { code?: unknown; hasErrorLabel?: (label: string) => boolean };
  if (outageNames.test(error.name) || outageCodes.has(code)) return true;
  if (error.name === 'MongooseError' && outageSentences.test(error.message)) return true;
  if (outageLabels.some((label) => hasErrorLabel?.call(error, label))) return true;
  return causesOf(error).some((cause) => isTransientMongoError(cause, depth + 1));
}

/** A bulk keeps what went wrong in `errorResponse`, and what a majority does not have beside what it was refused for. */
function causesOf(error: Error): unknown[] {
  const { cause, errorResponse } = error as Error & { errorResponse?: unknown };
  const { MongoBulkWriteError, MongoServerError } = mongoose.mongo;
  const concern = error instanceof MongoBulkWriteError ? error.result?.getWriteConcernError() : undefined;
  const unkept = concern && new MongoServerError({ code: concern.code, message: concern.errmsg ?? '' });
  return [cause, errorResponse, unkept];
}
