import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession, Connection } from 'mongoose';

/** Stores with a write what it returned; to be called within its transaction. */
export type Keep<T> = (result: T, session: ClientSession) => Promise<void>;

type Alongside = (session: ClientSession) => Promise<void>;

/** The write of the request that is being handled, which its Idempotency-Key protects. */
export type ProtectedWrite = {
  /** What the write of an earlier attempt returned, which died before its answer was stored. */
  earlier: { result: unknown } | null;
  /** Null once the write is done. */
  keep: Keep<unknown> | null;
  /** @throws AppError unprocessable `idempotency_key_reused` if an earlier attempt had another body */
  bindBody(hash: string): void;
};

/** Only requests with the header have one; without it, nothing here costs anything. */
export const currentWrite = new AsyncLocalStorage<ProtectedWrite>();

/**
 * Goes around the write of a store that must not happen twice, however often its request is repeated. Without an Idempotency-Key it
 * calls `write(null)`. With one, `write` runs a transaction in which it calls `keep`; a retry after a crash gets what was kept,
 * and writes nothing. Only the first such write of a request is treated so: what follows it is repeated, and must bear that.
 */
export async function writeOnce<T>(write: (keep: Keep<T> | null) => Promise<T>): Promise<T> {
  const current = currentWrite.getStore();
  if (!current) return write(null);
  const { earlier } = current;
  const result = earlier ? (earlier.result as T) : await write(current.keep);
  current.earlier = null;
  current.keep = null;
  return result;
}

/** Options of a write: the transaction that it belongs to, if any. */
export type Within = { session?: ClientSession };

/** `writeOnce` for a write without a transaction of its own: with an Idempotency-Key, `write` gets one. */
export function writeOnceIn<T>(connection: Connection, write: (within: Within) => Promise<T>): Promise<T> {
  return writeOnce((keep) => keepIn(connection, keep, write));
}

/** One attempt at the write of a `writeOnce`: with `keep`, in a transaction that keeps what `write` returns. */
export async function keepIn<T>(
  connection: Connection,
  keep: Keep<T> | null,
  write: (within: Within) => Promise<T>,
): Promise<T> {
  if (!keep) return write({});
  return connection.transaction(async (session) => {
    const result = await write({ session });
    await keep(result, session);
    return result;
  });
}

/** What to write in the transaction of a change: `alongside`, and `result` under the Idempotency-Key if there is one. */
export function keepAlongside<T>(
  keep: Keep<T> | null,
  result: T,
  alongside?: Alongside | null,
): Alongside | null | undefined {
  if (!keep) return alongside;
  return async (session) => {
    await alongside?.(session);
    await keep(result, session);
  };
}

/**
 * Says what the body of the request is, where its handler reads it itself.
 * @throws AppError unprocessable `idempotency_key_reused` if an earlier attempt had another body
 */
export function bindBody(hash: string): void {
  currentWrite.getStore()?.bindBody(hash);
}
