/** The beginning of a stream in chunks as they came, and the rest; null if there is no more. */
export type Peeked = { head: Buffer[]; rest: AsyncIterator<Buffer> | null };

/** Reads until there are more than `bytes`, or to the end. Rejects with the stream's error. */
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
 * The content in chunks of exactly `bytes`, except the last. All chunks share one buffer: each is valid until the next one is
 * requested. Throws the stream's error.
 */
export async function* chunksOf(content: Peeked, bytes: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for await (const part of partsOf(content)) {
    for (let taken = 0; taken < part.length; ) {
      const count = part.copy(chunk, filled, taken);
      filled += count;
      taken += count;
      if (filled < bytes) continue;
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

async function* partsOf({ head, rest }: Peeked): AsyncGenerator<Buffer> {
  // Removed from the list, so that what has been stored is freed.
  for (let part = head.shift(); part; part = head.shift()) yield part;
  for (let next = await rest?.next(); next && !next.done; next = await rest?.next()) yield next.value;
}
