import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { countStreamedBytes } from '@app/runtime';
import { detectFileType, type FileType, signatureBytes } from './file-type.ts';

/** A file passing by: `type` is known after its first bytes (or its end), size and hash once it has passed. */
export type UploadInspector = {
  stream: Transform;
  /** Null for a type that is not taken. Never settles where the stream fails before it can be told. */
  type: Promise<FileType | null>;
  /** To be asked once, after the end. `size` in bytes, `hash` the SHA-256 in hexadecimal. */
  totals(): { size: number; hash: string };
};

type MeterOptions = { maxBytes: number; tooLarge: () => Error };

/** Looks at a file while it streams: its type, size and hash. Fails with `tooLarge` at the first byte beyond `maxBytes`. */
export function createUploadInspector({ maxBytes, tooLarge }: MeterOptions): UploadInspector {
  const hash = createHash('sha256');
  const { promise: type, resolve: tellType } = Promise.withResolvers<FileType | null>();
  let size = 0;
  /** The first bytes, until they suffice to tell the type: a sender may give them one by one. */
  let head: Buffer | null = Buffer.alloc(0);

  const passHead = (done: TransformCallback) => {
    const first = head ?? Buffer.alloc(0);
    head = null;
    tellType(detectFileType(first));
    done(null, first);
  };
  const stream = new Transform({
    transform(part: Buffer, _encoding, done) {
      size += part.length;
      if (size > maxBytes) return done(tooLarge());
      hash.update(part);
      countStreamedBytes(part.length);
      if (!head) return done(null, part);
      head = Buffer.concat([head, part]);
      return head.length < signatureBytes ? done() : passHead(done);
    },
    flush: (done) => (head ? passHead(done) : done()),
  });
  return { stream, type, totals: () => ({ size, hash: hash.digest('hex') }) };
}
