import mongoose, { type Connection, type Model, type mongo, Schema } from 'mongoose';
import { Gauge } from 'prom-client';
import type { Logger } from '../logger.ts';
import { isTracing } from '../tracing/index.ts';
import { withTimeout } from '../with-timeout.ts';
import { traceCommands } from './command-spans.ts';
import './driver-patch.ts';

type MongoOptions = { url: string; database: string; logger?: Logger; poolSize?: number };

/**
 * What no election can roll back: writes that a majority has in its journal, and reads of such writes alone. So whatever is
 * answered, acknowledged or published because of a read stays true. Costs a read nothing: the server keeps that state at hand.
 */
export const lasting = {
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true },
} as const;

/**
 * Reads what may be rolled back, of which a claim that waits for no majority is known at once. For work that is decided by a
 * later write: a job that is claimed by mistake is given back, or done twice.
 */
export const localRead = { readConcern: { level: 'local' } } as const;

/**
 * Connects to a MongoDB replica set, to one database of it, by what is `lasting`.
 * Rejects within 10 s, or the url's own `serverSelectionTimeoutMS`, if no server answers.
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
    // An option would override the one in the url.
    ...(/[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS: 10_000 }),
    ...lasting,
    retryWrites: true,
    // Created by the start of a service (libs/service) and by `npm run ops -- migrate`.
    autoIndex: false,
    autoCreate: false,
    // Mongoose would queue commands for 10 s while there is no connection, and then fail them with an error of its own.
    bufferCommands: false,
    // Only for spans: each event holds a copy of its command.
    monitorCommands: isTracing(),
  });
  watchPool(connection);
  haveErrorsLast(connection);
  if (isTracing()) traceCommands(connection.getClient());
  let closing = false;
  connection.once('disconnecting', () => {
    closing = true;
  });
  connection.on('disconnected', () => closing || logger?.warn('MongoDB connection lost', { database }));
  connection.on('reconnected', () => logger?.info('MongoDB connection is back', { database }));
  return connection.asPromise();
}

const poolConnections = new Gauge({
  name: 'mongodb_pool_connections',
  help: 'Connections to MongoDB by state: open (in use ones included), in_use; and waiting, the commands that wait for one',
  labelNames: ['state'] as const,
});

function watchPool(connection: mongoose.Connection): void {
  const client = connection.getClient();
  client.on('connectionCreated', () => poolConnections.inc({ state: 'open' }));
  client.on('connectionClosed', () => poolConnections.dec({ state: 'open' }));
  client.on('connectionCheckOutStarted', () => poolConnections.inc({ state: 'waiting' }));
  client.on('connectionCheckOutFailed', () => poolConnections.dec({ state: 'waiting' }));
  client.on('connectionCheckedOut', () => {
    poolConnections.dec({ state: 'waiting' });
    poolConnections.inc({ state: 'in_use' });
  });
  client.on('connectionCheckedIn', () => poolConnections.dec({ state: 'in_use' }));
}

/**
 * An aborted transaction waits for nothing, and inside it everything is read as the primary has it: what a rule refused, or a
 * unique index, may yet be rolled back. So its error is thrown once a majority has what the primary has. An update that matches
 * nothing waits for that.
 */
function haveErrorsLast(connection: mongoose.Connection): void {
  const transaction = connection.transaction.bind(connection);
  connection.transaction = async (...given) => {
    try {
      return await transaction(...given);
    } catch (error) {
      if (!isTransientMongoError(error))
        await connection.db?.collection('none').updateOne({ never: true }, { $set: { never: 1 } });
      throw error;
    }
  };
}

const pingTimeoutMs = 2_000;

/** Rejects if the database does not answer within 2 s: for `/readyz`. */
export async function pingMongo(connection: mongoose.Connection): Promise<void> {
  await withTimeout(connection.getClient().db().command({ ping: 1 }), { ms: pingTimeoutMs, what: 'MongoDB' });
}

/** True for a write refused by a unique index, of that name if given. */
export function isDuplicateKey(error: unknown, index?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 11000) return false;
  return index === undefined || error.message.includes(`index: ${index} `);
}

/**
 * The errors of an unordered bulk write by the index of their operation; the other operations succeeded.
 * @throws the error itself if it is any other error, or reports a write concern error as well
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

/** The indexes of the operations that a unique index refused. @throws the error itself if there are other errors */
export function duplicateIndexes(error: unknown): number[] {
  const refused = writeErrorsByIndex(error);
  for (const one of refused.values()) if (!isDuplicateKey(one)) throw error;
  return [...refused.keys()];
}

/** True if the driver could not encode an operation as BSON, or it is too large: then nothing of the batch was sent. */
export function isUnserializable(error: unknown): boolean {
  return error instanceof Error && /^(BSON\w*Error|RangeError|TypeError|MongoInvalidArgumentError)$/.test(error.name);
}

const outageNames =
  /^(Mongo(oseServerSelection|Network|Server(Selection|Closed)|Pool|WaitQueue|NotConnected|TopologyClosed|ClientClosed|ExpiredSession|StalePrimary|OperationTimeout|System)|PoolCleared)/;
/** MongoDB's labels for errors that may succeed if retried: a primary that steps down, write conflicts. */
const outageLabels = ['TransientTransactionError', 'RetryableWriteError'];
/**
 * Retryable errors of statements that the driver does not retry, which have no label: a primary that steps down or shuts down
 * (MongoDB's specification "Retryable Writes", section "Determining Retryable Errors"), a cursor that was lost with a restart
 * (43, 237), too few or too slow members for the write concern (64, 100) or the read concern (134), a full disk (14031).
 */
const outageCodes = new Set<unknown>([
  // Node's error for a socket that the server closed, which the driver passes on.
  'EPIPE',
  6,
  7,
  43,
  64,
  89,
  91,
  100,
  134,
  189,
  237,
  262,
  9001,
  10107,
  11600,
  11602,
  13435,
  13436,
  14031,
]);
/** A query names an index that is still being built (libs/service/prepare-database.ts): it succeeds once it is there. */
const missingIndex = /hint provided does not correspond to an existing index/;
/** Mongoose's own errors of this kind have neither name nor code. */
const outageSentences = /buffering timed out|Connection was force closed/;
/** How deep causes are followed; the driver's are two deep. */
const maxCauseDepth = 5;

/** True if the database did not answer, or said that the operation may succeed later. Whether it was applied is not known. */
export function isTransientMongoError(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > maxCauseDepth) return false;
  const { code, hasErrorLabel } = error as Error & { code?: unknown; hasErrorLabel?: (label: string) => boolean };
  if (outageNames.test(error.name) || outageCodes.has(code)) return true;
  if (error.name === 'MongoServerError' && missingIndex.test(error.message)) return true;
  if (error.name === 'MongooseError' && outageSentences.test(error.message)) return true;
  if (outageLabels.some((label) => hasErrorLabel?.call(error, label))) return true;
  return causesOf(error).some((cause) => isTransientMongoError(cause, depth + 1));
}

/** A bulk write error has its cause in `errorResponse`, and a write concern error beside its write errors. */
function causesOf(error: Error): unknown[] {
  const { cause, errorResponse } = error as Error & { errorResponse?: unknown };
  const { MongoBulkWriteError, MongoServerError } = mongoose.mongo;
  const concern = error instanceof MongoBulkWriteError ? error.result?.getWriteConcernError() : undefined;
  const unkept = concern && new MongoServerError({ code: concern.code, message: concern.errmsg ?? '' });
  return [cause, errorResponse, unkept];
}

/** The schema of a collection for its indexes: the type alone says what its documents have, and whoever writes one gives all of that. */
export function documentSchema<Document>(collection: string): Schema<Document> {
  return new Schema<Document>({ _id: { type: String, required: true } } as never, {
    versionKey: false,
    strict: false,
    collection,
  });
}

/** The model of this name. The first store that asks registers it, so that its indexes are created at the start. */
export function modelOf<Document>(connection: Connection, name: string, schema: Schema<Document>): Model<Document> {
  const registered = connection.models[name] as Model<Document> | undefined;
  return registered ?? connection.model<Document>(name, schema);
}

/**
 * The driver's own collection of a model, typed by its documents. For what Mongoose cannot do or would slow down: hot paths, claims,
 * pipelines, going through a whole collection. A store that takes it says why in a sentence that begins with "By the driver".
 */
export function collectionOf<Document extends { _id: string }>(model: Model<Document>): mongo.Collection<Document> {
  return model.collection as unknown as mongo.Collection<Document>;
}
