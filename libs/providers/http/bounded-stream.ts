import { Readable } from 'node:stream';
import { ProviderError } from '../provider-error.ts';

/** Reads the whole stream. @throws ProviderError refused `too_large` beyond `maxBytes`; the stream is then destroyed */
export async function readBounded(source: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bounded(source, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The same as a stream. Errors of the source pass through `toError`. Destroying the stream destroys the source. */
export function boundedStream(source: Readable, maxBytes: number, toError: (error: unknown) => unknown): Readable {
  const chunks = async function* () {
    try {
      yield* bounded(source, maxBytes);
    } catch (error) {
      throw toError(error);
    }
  };
  const stream = Readable.from(chunks(), { objectMode: false });
  // A generator that was never started does not run its `finally`.
  stream.once('close', () => source.destroy());
  return stream;
}

async function* bounded(source: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      const message = `the provider's answer is longer than ${maxBytes} bytes`;
      throw new ProviderError('refused', message, { code: 'too_large' });
    }
    yield chunk;
  }
}
