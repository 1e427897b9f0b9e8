/** The beginning of a stream, in the parts in which it came, and what follows; null where that was all of it. */
export type Peeked = { head: Buffer[]; rest: AsyncIterator<Buffer> | null };

/** Reads until there are more than `bytes`, or to the end. Throws the stream's own error. */
export async function peek(content: AsyncIterable<Buffer>, bytes: number): Promise<Peeked> {
  const rest = content[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  for (let length = 0; length <= bytes; ) {
    const { done, value } = await rest.next();
    if (done) return { head, rest: null };
    head.push(value);
    length += value.length;
  }
  return { head, rest };
}

/**
 * The bytes in pieces of exactly `bytes`, but for the last, which may be shorter; none for an empty stream. Every piece
 * stands in the same memory: it is good until the next one is asked for. Throws the stream's own error.
 */
export async function* chunksOf(content: Peeked, bytes: number): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for await (const part of partsOf(content)) {
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

async function* partsOf({ head, rest }: Peeked): AsyncGenerator<Buffer> {
  // Taken out, so that what has been stored is not kept in memory.
  for (let part = head.shift(); part; part = head.shift()) yield part;
  for (let next = await rest?.next(); next && !next.done; next = await rest?.next()) yield next.value;
}
