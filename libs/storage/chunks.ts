import { addAbortSignal, type Readable } from 'node:stream';

/**
 * The stream's bytes in pieces of exactly `bytes`, but for the last, which may be shorter; none for an empty stream.
 * Every piece stands in the same memory: it is good until the next one is asked for. Throws the stream's own error, or
 * an AbortError.
 */
export async function* chunksOf(
  content: Readable,
  { bytes, signal }: { bytes: number; signal?: AbortSignal },
): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  const source: AsyncIterable<Buffer> = signal ? addAbortSignal(signal, content) : content;
  const piece = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for await (const part of source) {
    for (let taken = 0; taken < part.length; ) {
      const count = part.copy(piece, filled, taken);
      filled += count;
      taken += count;
      if (filled < bytes) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
