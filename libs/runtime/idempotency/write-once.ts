import type { ClientSession, Connection } from 'mongoose';

/** A write that takes part in a transaction. */
export type TransactionalWrite = (session: ClientSession) => Promise<void>;

/** Stores what a write returns, for a retry of its request; to be called within the transaction of the write. */
export type SaveResult<T> = (result: T, session: ClientSession) => Promise<void>;

/**
 * Protects one write of a request under its Idempotency-Key. The handler passes it to the store that writes; whoever writes without
 * a request, or what may happen twice, says `null`.
 */
export type ProtectedWrite = {
  /**
   * Runs `perform`, which calls `saveResult` in its transaction; after a crash, returns what was saved then.
   * @throws Error if it was used before: one request has one protected write
   */
  once<T>(perform: (saveResult: SaveResult<T>) => Promise<T>): Promise<T>;
  /**
   * Says what the body of the request is, if its handler reads it itself.
   * @throws AppError unprocessable `idempotency_key_reused` if an earlier attempt had another body
   */
  bindBody(hash: string): void;
};

type Options = {
  /** What the write of an earlier attempt returned, which died before its answer was stored. */
  earlier: { result: unknown } | null;
  saveResult: SaveResult<unknown>;
} & Pick<ProtectedWrite, 'bindBody'>;

export function createProtectedWrite({ earlier, saveResult, bindBody }: Options): ProtectedWrite {
  let isUsed = false;
  return {
    bindBody,
    async once<T>(perform: (save: SaveResult<T>) => Promise<T>) {
      if (isUsed)
        throw new Error('a request used its protected write twice; a second one needs null, and must be repeatable');
      isUsed = true;
      try {
        return earlier ? (earlier.result as T) : await perform(saveResult);
      } catch (error) {
        // Nothing was written, so the handler may try another way.
        isUsed = false;
        throw error;
      }
    },
  };
}

/**
 * Wraps a write of a store that must not happen twice, however often its request is repeated.
 * Without an Idempotency-Key it calls `perform(null)`. With one, `perform` runs a transaction in which
 * it calls `saveResult`. A retry after a crash gets the saved result and writes nothing.
 */
export async function writeOnce<T>(
  write: ProtectedWrite | null,
  perform: (saveResult: SaveResult<T> | null) => Promise<T>,
): Promise<T> {
  return write ? write.once(perform) : perform(null);
}

/** Options of a write: the transaction that it belongs to, if any. */
export type Within = { session?: ClientSession };

/** `writeOnce` for a write without a transaction of its own: with an Idempotency-Key, `perform` gets one. */
export function writeOnceIn<T>(
  write: ProtectedWrite | null,
  connection: Connection,
  perform: (within: Within) => Promise<T>,
): Promise<T> {
  return writeOnce(write, (saveResult) => writeAndSaveResult(connection, saveResult, perform));
}

/** Runs `perform` and saves what it returns, in one transaction; without `saveResult`, runs it alone. */
export async function writeAndSaveResult<T>(
  connection: Connection,
  saveResult: SaveResult<T> | null,
  perform: (within: Within) => Promise<T>,
): Promise<T> {
  if (!saveResult) return perform({});
  return connection.transaction(async (session) => {
    const result = await perform({ session });
    await saveResult(result, session);
    return result;
  });
}

/** `writeOnce` for a write that needs a transaction in any case. */
export function transactionOnce<T>(
  write: ProtectedWrite | null,
  database: { transaction<R>(work: (session: ClientSession) => Promise<R>): Promise<R> },
  perform: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return writeOnce(write, (saveResult) =>
    database.transaction(async (session) => {
      const result = await perform(session);
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
