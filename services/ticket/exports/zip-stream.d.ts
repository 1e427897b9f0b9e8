declare module 'zip-stream' {
  import type { Readable, Transform } from 'node:stream';

  type Options = { forceZip64?: boolean; zlib?: { level?: number } };
  type Entry = { name: string; date?: Date; store?: boolean };

  /** The package comes without types: what is used of it. */
  class ZipStream extends Transform {
    constructor(options?: Options);
    /** One entry at a time: the next after `callback`. */
    entry(source: Readable | Buffer | string, data: Entry, callback: (error?: Error | null) => void): this;
    finish(): void;
  }

  export = ZipStream;
}
