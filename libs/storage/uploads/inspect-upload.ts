import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { countStreamedBytes } from '@app/runtime';
import { detectFileType, type FileType, isEnough } from '../file-type.ts';

type InspectorOptions = { maxBytes: number; tooLarge: () => Error };

/** Determines type, size and hash of a file while it streams. Fails with `tooLarge` at the first byte beyond `maxBytes`. */
export function createUploadInspector({ maxBytes, tooLarge }: InspectorOptions) {
  const hash = createHash('sha256');
  const { promise: type, resolve: resolveType } = Promise.withResolvers<FileType | null>();
  let size = 0;
  /** The first bytes, until there are enough to determine the type: they may come one by one. */
  let head: Buffer | null = Buffer.alloc(0);

  const passHead = (done: TransformCallback) => {
    const first = head ?? Buffer.alloc(0);
    head = null;
    resolveType(detectFileType(first));
    done(null, first);
  };
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) return done(tooLarge());
      hash.update(chunk);
      countStreamedBytes(chunk.length);
      if (!head) return done(null, chunk);
      head = Buffer.concat([head, chunk]);
      return isEnough(head) ? passHead(done) : done();
    },
    flush: (done) => (head ? passHead(done) : done()),
  });
  return {
    stream,
    /** Known after the first bytes, or the end; null for a type that is not accepted. Never settles if the stream fails before the type is known. */
    type,
    /** To be called once, after the end. `size` in bytes, `hash` the SHA-256 in hexadecimal. */
    totals: (): { size: number; hash: string } => ({ size, hash: hash.digest('hex') }),
  };
}
