import { PassThrough, pipeline, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import ZipStream from 'zip-stream';

/**
 * `compressed`: the archive compresses the entry, as for text; files that are compressed already
 * are stored as they are.
 */
export type ArchiveEntry = { path: string; content: Readable; compressed: boolean };

/**
 * A ZIP of the entries, which are read one after the other and only as fast as the archive is:
 * memory does not grow with them. If one fails, so does the archive; if its reader leaves, the rest
 * is not read.
 */
export function zipArchive(entries: AsyncIterable<ArchiveEntry>, date: Date): Readable {
  const zip = new ZipStream({ zlib: { level: 6 } });
  const archive = new PassThrough();
  pipeline(zip, archive, () => undefined);
  void pack(zip, entries, date).catch((error) => archive.destroy(error));
  return archive;
}

async function pack(zip: ZipStream, entries: AsyncIterable<ArchiveEntry>, date: Date): Promise<void> {
  const closed = finished(zip).then(() => {
    throw new Error('the archive was closed before its end');
  });
  closed.catch(() => undefined);
  for await (const { path, content, compressed } of entries) {
    try {
      const added = new Promise<void>((resolve, reject) => {
        content.once('error', reject);
        zip.entry(content, { name: path, date, store: !compressed }, (error) => (error ? reject(error) : resolve()));
      });
      await Promise.race([added, closed]);
    } finally {
      content.destroy();
    }
  }
  zip.finish();
}
