import { Readable } from 'node:stream';
import { ProviderError } from './provider-error.ts';

/** Everything that the stream gives, at most `maxBytes`; more is `refused`, and the stream is destroyed. */
export async function readBounded(source: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bounded(source, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The same as a stream; whatever its source fails with becomes what `failureOf` says. Destroying it destroys the source. */
export function boundedStream(source: Readable, maxBytes: number, failureOf: (error: unknown) => unknown): Readable {
  const chunks = async function* () {
    try {
      yield* bounded(source, maxBytes);
    } catch (error) {
      throw failureOf(error);
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
      throw new ProviderError('refused', `the provider's answer is longer than ${maxBytes} bytes`, {
        code: 'too_large',
      });
    }
    yield chunk;
  }
}
