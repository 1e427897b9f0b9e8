import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession, Connection } from 'mongoose';

/** A write that takes part in a transaction. */
export type TransactionalWrite = (session: ClientSession) => Promise<void>;

/** Stores what a write returns, for a retry of its request; to be called within the transaction of the write. */
export type SaveResult<T> = (result: T, session: ClientSession) => Promise<void>;

/** The write of the request that is being handled, which its Idempotency-Key protects. */
export type ProtectedWrite = {
  /** What the write of an earlier attempt returned, which died before its answer was stored. */
  earlier: { result: unknown } | null;
  /** Null once the write is done. */
  saveResult: SaveResult<unknown> | null;
  /** @throws AppError unprocessable `idempotency_key_reused` if an earlier attempt had another body */
  bindBody(hash: string): void;
};

/** Only requests with the header have one; without it, nothing here costs anything. */
export const currentWrite = new AsyncLocalStorage<ProtectedWrite>();

/**
 * Wraps a write of a store that must not happen twice, however often its request is repeated.
 * Without an Idempotency-Key it calls `write(null)`. With one, `write` runs a transaction in which
 * it calls `saveResult`. A retry after a crash gets the saved result and writes nothing. Only the
 * first such write of a request is protected: what follows it runs again, and must be repeatable.
 */
export async function writeOnce<T>(write: (saveResult: SaveResult<T> | null) => Promise<T>): Promise<T> {
  const current = currentWrite.getStore();
  if (!current) return write(null);
  const { earlier } = current;
  const result = earlier ? (earlier.result as T) : await write(current.saveResult);
  current.earlier = null;
  current.saveResult = null;
  return result;
}

/** Options of a write: the transaction that it belongs to, if any. */
export type Within = { session?: ClientSession };

/** `writeOnce` for a write without a transaction of its own: with an Idempotency-Key, `write` gets one. */
export function writeOnceIn<T>(connection: Connection, write: (within: Within) => Promise<T>): Promise<T> {
  return writeOnce((saveResult) => writeAndSaveResult(connection, saveResult, write));
}

/** Runs `write` and saves what it returns, in one transaction; without `saveResult`, runs it alone. */
export async function writeAndSaveResult<T>(
  connection: Connection,
  saveResult: SaveResult<T> | null,
  write: (within: Within) => Promise<T>,
): Promise<T> {
  if (!saveResult) return write({});
  return connection.transaction(async (session) => {
    const result = await write({ session });
    await saveResult(result, session);
    return result;
  });
}

/** `writeOnce` for a write that needs a transaction in any case. */
export function transactionOnce<T>(
  database: { transaction<R>(work: (session: ClientSession) => Promise<R>): Promise<R> },
  write: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return writeOnce((saveResult) =>
    database.transaction(async (session) => {
      const result = await write(session);
      await saveResult?.(result, session);
      return result;
    }),
  );
}

/** The write that follows a change in its transaction: `alongside`, then the result if there is a key; null if there is nothing to write. */
export function resultWrite<T>(
  saveResult: SaveResult<T> | null,
  result: T,
  alongside: TransactionalWrite | null = null,
): TransactionalWrite | null {
  if (!saveResult) return alongside;
  return async (session) => {
    await alongside?.(session);
    await saveResult(result, session);
  };
}

/**
 * Says what the body of the request is, if its handler reads it itself.
 * @throws AppError unprocessable `idempotency_key_reused` if an earlier attempt had another body
 */
export function bindBody(hash: string): void {
  currentWrite.getStore()?.bindBody(hash);
}
